// log.txt: what the console showed of a run, and when.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>

#include "core/append_file.h"
#include "core/log.h"

namespace verbund {

class RunLog {
 public:
  static constexpr size_t kColumns = 100;

  // Appended to: a resumed run goes on in it.
  explicit RunLog(const std::filesystem::path& folder);

  void line(const std::string& text, Colour colour = Colour::kNone);  // console and log.txt, there without colour
  void paragraph(const std::string& text);                            // the same, in rows of at most 100 columns
  void note(const std::string& text);                                 // log.txt alone

 private:
  AppendFile text_;
  DebugCopy debug_lines_;
  std::atomic<bool> warned_ = false;  // the watch logs as well
};

}  // namespace verbund
