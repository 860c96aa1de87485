#include "train/run_log.h"

#include <sstream>

#include "core/columns.h"
#include "core/wall_clock.h"

namespace verbund {
RunLog::RunLog(const std::filesystem::path& folder)
    : text_(folder / "log.txt"), debug_lines_([this](const std::string& line) { note(line); }) {}

void RunLog::line(const std::string& text, Colour colour) {
  log_line(text, colour);
  note(text);
}

void RunLog::paragraph(const std::string& text) {
  const std::string rows = wrap_rows(text, kColumns);
  log_line(terminal().status_line == StatusLine::kDrawn ? text : rows);  // a terminal breaks it to its own width
  note(rows);
}

void RunLog::note(const std::string& text) {
  const std::string time = utc_time();
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (text_.add_line(time + "  " + line) || warned_.exchange(true)) continue;
    warn("cannot write to the run's log (is the disk full?): training goes on, but what it logs is lost");
  }
}

}  // namespace verbund
