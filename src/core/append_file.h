// A file that grows line by line, such as a log, and whose lines stay whole: after a write that failed in the middle,
// or a kill, the next line begins on a line of its own.
#pragma once

#include <mutex>

#include "core/file_system.h"

namespace verbund {

class AppendFile {
 public:
  explicit AppendFile(const std::filesystem::path& path);

  // By any thread. False: it could not be written, and `errno` says why.
  bool add_line(std::string_view line);

 private:
  OpenFile file_;
  std::mutex mutex_;
  bool cut_ = false;  // the last line has no end
};

}  // namespace verbund
