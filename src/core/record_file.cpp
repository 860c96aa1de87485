#include "core/record_file.h"

#include <fcntl.h>

#include <cerrno>

#include "core/error.h"
#include "core/file.h"
#include "core/log.h"

namespace verbund {
namespace {

// As much of the file's beginning as there is.
std::string beginning_of(const fs::path& path, size_t size) {
  const MappedFile file(path);
  return std::string(file.bytes().substr(0, size));
}

const fs::path& make_way(const fs::path& path, const std::string& header) {
  if (!fs::exists(path) || header.starts_with(beginning_of(path, header.size()))) return path;
  const fs::path aside = path.string() + ".damaged";
  rename_path(path, aside);
  warn(
      "{} is damaged, or of another version: its header is not what this program writes. It is now {}, and a new one "
      "is begun",
      path.string(), aside.string());
  return path;
}

// False: errno says why. `written`: so many bytes were.
bool write_at(int file, std::string_view bytes, uint64_t offset, size_t& written) {
  for (written = 0; written < bytes.size();) {
    const ssize_t count = file_system().pwrite(file, bytes.substr(written), offset + written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    written += static_cast<size_t>(count);
  }
  return true;
}

}  // namespace

RecordFile::RecordFile(const fs::path& path, const std::string& header, size_t record_size)
    : file_(make_way(path, header), O_RDWR | O_CREAT), record_size_(record_size) {
  if (!file_) fail_errno("cannot write {}", path.string());
  const uint64_t size = fs::file_size(path);
  if (size < header.size()) {
    size_t written = 0;
    if (!write_at(file_.descriptor(), header, 0, written)) fail_errno("cannot write {}", path.string());
    end_ = header.size();
    return;
  }
  end_ = size - (size - header.size()) % record_size_;
  if (end_ < size && file_system().ftruncate(file_.descriptor(), end_) != 0) {
    fail_errno("cannot write {}", path.string());
  }
}

bool RecordFile::add(std::string_view records) {
  size_t written = 0;
  const bool whole = write_at(file_.descriptor(), records, end_, written);
  end_ += written - written % record_size_;
  return whole;
}

}  // namespace verbund
