// SPDX-License-Identifier: Apache-2.0
#include "board/file_tail.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "core/file_system.h"

namespace verbund {
namespace {

constexpr size_t kBlock = 1 << 20;
constexpr size_t kLongestLine = 1 << 26;  // a longer one is skipped
constexpr size_t kCompared = 64;

bool read_fully(int file, std::string& bytes, uint64_t offset) {
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = file_system().pread(file, bytes.data() + done, bytes.size() - done, offset + done);
    if (got <= 0) break;
    done += static_cast<size_t>(got);
  }
  const bool whole = done == bytes.size();
  bytes.resize(done);
  return whole;
}

int64_t change_time(const struct stat& status) {
  return int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
}

}  // namespace

bool FileTail::forget(const std::function<void()>& restart) {
  const bool had_something = offset_ > 0;
  identity_ = {};
  offset_ = size_seen_ = 0;
  changed_seen_ = 0;
  before_.clear();
  if (had_something) restart();
  return had_something;
}

bool FileTail::read(const std::function<void()>& restart, const Take& take) {
  struct stat status = {};
  if (::lstat(path_.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return forget(restart);
  const auto size_of = [](const struct stat& s) { return static_cast<uint64_t>(s.st_size); };
  const Identity seen = {status.st_dev, status.st_ino};
  if (seen == identity_ && size_of(status) == size_seen_ && change_time(status) == changed_seen_) return false;

  const OpenFile file(path_, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!file || ::fstat(file.descriptor(), &status) != 0 || !S_ISREG(status.st_mode)) return forget(restart);
  const Identity identity = {status.st_dev, status.st_ino};
  bool same = identity == identity_ && size_of(status) >= offset_;
  if (same && !before_.empty()) {
    std::string bytes(before_.size(), '\0');
    same = read_fully(file.descriptor(), bytes, offset_ - before_.size()) && bytes == before_;
  }
  const bool was_other = !same && forget(restart);
  identity_ = identity;
  size_seen_ = size_of(status);
  changed_seen_ = change_time(status);
  const uint64_t from = offset_;
  read_from(file.descriptor(), size_seen_, take);
  return was_other || offset_ != from;
}

void FileTail::read_from(int file, uint64_t size, const Take& take) {
  size_t block = kBlock;
  while (offset_ < size) {
    std::string bytes(std::min<uint64_t>(block, size - offset_), '\0');
    const bool whole = read_fully(file, bytes, offset_);
    size_t taken = std::min(take(bytes), bytes.size());
    if (taken == 0 && whole && bytes.size() == block) {
      if (block < kLongestLine) {
        block *= 2;
        continue;
      }
      taken = bytes.size();
    }
    if (taken == 0) return;
    offset_ += taken;
    before_.append(bytes, 0, taken);
    if (before_.size() > kCompared) before_.erase(0, before_.size() - kCompared);
    block = kBlock;
    if (!whole) return;
  }
}

FileTail::Take whole_lines(const std::function<void(std::string_view lines)>& use) {
  return [use](std::string_view bytes) -> size_t {
    const size_t last = bytes.rfind('\n');
    if (last == std::string_view::npos) return 0;
    use(bytes.substr(0, last + 1));
    return last + 1;
  };
}

}  // namespace verbund
