// SPDX-License-Identifier: Apache-2.0
// FileTail reads what was appended to a growing file since the last time. The file may vanish, shrink, be replaced, or
// end in the middle of a line or record at any moment. Links and special files are not opened.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace verbund {

class FileTail {
 public:
  // Takes whole lines or records from the front of `bytes` and returns their size. The rest is offered again, with
  // more.
  using Take = std::function<size_t(std::string_view bytes)>;

  explicit FileTail(std::filesystem::path path) : path_(std::move(path)) {}

  // Reads what is new. Calls `restart` first if the file is not the one that was read before: what was taken from it
  // no longer counts. Returns whether anything has changed.
  bool read(const std::function<void()>& restart, const Take& take);

  uint64_t offset() const { return offset_; }

 private:
  struct Identity {
    uint64_t device = 0, inode = 0;
    bool operator==(const Identity&) const = default;
  };

  bool forget(const std::function<void()>& restart);
  void read_from(int file, uint64_t size, const Take& take);

  std::filesystem::path path_;
  Identity identity_;
  uint64_t offset_ = 0;     // up to which it was taken
  uint64_t size_seen_ = 0;  // with this size and time of change nothing is new
  int64_t changed_seen_ = 0;
  std::string before_;  // the last bytes before the offset: in the same file they stay the same
};

// A Take that hands whole lines to `use`, all those that are there at once.
FileTail::Take whole_lines(const std::function<void(std::string_view lines)>& use);

}  // namespace verbund
