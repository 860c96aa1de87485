// SPDX-License-Identifier: Apache-2.0
// FileProgress shows the progress through files of known size that are read window by window: bytes, and within a
// window the share of its lines that are done. Streams of unknown size have none.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/file.h"
#include "core/progress.h"

namespace verbund {

class FileProgress {
 public:
  // "-" is standard input, whose size is known if it comes from a file.
  FileProgress(const std::string& what, const std::vector<fs::path>& files);

  // `position` bytes of the present file have been read; `done` lines of the window are ready.
  void update(uint64_t position, size_t done, size_t lines);
  void end_window(uint64_t position) { begin_ = position; }
  void end_file(uint64_t position);

 private:
  std::optional<Progress> progress_;  // none if a size is unknown
  uint64_t before_ = 0;               // bytes of the files that are done
  uint64_t begin_ = 0;                // of the window, in the present file
};

}  // namespace verbund
