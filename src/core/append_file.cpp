#include "core/append_file.h"

#include <fcntl.h>

#include <cerrno>
#include <string>

#include "core/error.h"

namespace verbund {

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

}  // namespace verbund
