// What a run leaves for people and programs to read: log.txt, what the console showed, and
// metrics.jsonl, one object per logged step or evaluation. Both say when.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/append_file.h"
#include "core/terminal.h"

namespace verbund {

class RunLog {
 public:
  static constexpr size_t kColumns = 100;

  // Both files are appended to: a resumed run goes on in them.
  explicit RunLog(const std::filesystem::path& folder);

  void line(const std::string& text, Colour colour = Colour::kNone);  // console and log.txt, there without colour
  void paragraph(const std::string& text);                            // the same, in rows of at most 100 columns
  void note(const std::string& text);                                 // log.txt alone
  void metrics(const nlohmann::ordered_json& object);                 // metrics.jsonl
  // Forgets metrics of later steps, which a resumed run will make again.
  static void drop_after(const std::filesystem::path& folder, int64_t step);

 private:
  AppendFile text_, metrics_;
};

}  // namespace verbund
