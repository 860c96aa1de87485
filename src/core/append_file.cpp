// SPDX-License-Identifier: Apache-2.0
#include "core/append_file.h"

#include <fcntl.h>

#include <cerrno>
#include <string>

#include "core/error.h"
#include "core/file.h"
#include "core/log.h"

namespace verbund {
namespace {

// The first `size` bytes of the file, or all of a shorter one.
std::string beginning_of(const fs::path& path, size_t size) {
  const MappedFile file(path);
  return std::string(file.bytes().substr(0, size));
}

const fs::path& rename_if_foreign(const fs::path& path, const std::string& header) {
  if (!fs::exists(path) || header.starts_with(beginning_of(path, header.size()))) return path;
  const fs::path aside = path.string() + ".damaged";
  rename_path(path, aside);
  warn(
      "{} is damaged, or of another version: its header is not the one that this program writes. It is renamed to {}, "
      "and a new file is begun",
      path.string(), aside.string());
  return path;
}

// False: errno says why; `written` bytes were written.
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

AppendFile::AppendFile(const std::filesystem::path& path) : file_(path, O_RDWR | O_CREAT | O_APPEND) {
  if (!file_) fail_errno("cannot write {}", path.string());
  std::error_code error;
  const uint64_t size = std::filesystem::file_size(path, error);
  char last = '\n';
  if (!error && size > 0 && file_system().pread(file_.descriptor(), &last, 1, size - 1) < 0) {
    fail_errno("cannot read {}", path.string());
  }
  cut_ = last != '\n';
}

bool AppendFile::add_line(std::string_view line) {
  const std::lock_guard lock(mutex_);
  const std::string text = (cut_ ? "\n" : "") + std::string(line) + "\n";
  for (std::string_view rest = text; !rest.empty();) {
    const ssize_t written = file_system().write(file_.descriptor(), rest);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      cut_ = cut_ || rest.size() < text.size();
      return false;
    }
    rest.remove_prefix(static_cast<size_t>(written));
  }
  cut_ = false;
  return true;
}

RecordFile::RecordFile(const fs::path& path, const std::string& header, size_t record_size)
    : file_(rename_if_foreign(path, header), O_RDWR | O_CREAT), record_size_(record_size) {
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
