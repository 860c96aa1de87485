// SPDX-License-Identifier: Apache-2.0
#include "cli/file_progress.h"

#include <sys/stat.h>
#include <unistd.h>

namespace verbund {
namespace {

std::optional<uint64_t> size_of(const fs::path& file) {
  struct stat status = {};
  const int error = file == "-" ? ::fstat(STDIN_FILENO, &status) : ::stat(file.c_str(), &status);
  if (error != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return static_cast<uint64_t>(status.st_size);
}

}  // namespace

FileProgress::FileProgress(const std::string& what, const std::vector<fs::path>& files) {
  uint64_t total = 0;
  for (const fs::path& file : files) {
    const std::optional<uint64_t> size = size_of(file);
    if (!size) return;
    total += *size;
  }
  progress_.emplace(what, total, "bytes");
}

void FileProgress::update(uint64_t position, size_t done, size_t lines) {
  if (!progress_) return;
  const double share = lines == 0 ? 1 : static_cast<double>(done) / static_cast<double>(lines);
  progress_->update(before_ + begin_ + static_cast<uint64_t>(share * static_cast<double>(position - begin_)));
}

void FileProgress::end_file(uint64_t position) {
  before_ += position;
  begin_ = 0;
}

}  // namespace verbund
