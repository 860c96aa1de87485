#include "train/run_log.h"

#include <atomic>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/columns.h"
#include "core/error.h"
#include "core/file.h"
#include "core/log.h"
#include "core/wall_clock.h"

namespace verbund {
namespace {

void append(AppendFile& file, const std::string& line) {
  static std::atomic<bool> warned = false;  // the watch logs as well
  if (!file.add_line(line) && !warned.exchange(true)) {
    warn("cannot write to the run's log (is the disk full?): training goes on, but what it logs is lost");
  }
}

}  // namespace

RunLog::RunLog(const fs::path& folder) : text_(folder / "log.txt"), metrics_(folder / "metrics.jsonl") {}

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
  for (std::string line; std::getline(lines, line);) append(text_, time + "  " + line);
}

void RunLog::metrics(const nlohmann::ordered_json& object) {
  nlohmann::ordered_json line = object;
  line["time"] = utc_time();
  append(metrics_, line.dump());
}

void RunLog::drop_after(const fs::path& folder, int64_t step) {
  const fs::path path = folder / "metrics.jsonl";
  if (!fs::exists(path)) return;
  std::string kept;
  size_t number = 0, damaged = 0, first_damaged = 0;
  std::istringstream lines(read_file(path));
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const auto object = nlohmann::json::parse(line, nullptr, false);
    const auto found = object.is_object() ? object.find("step") : object.end();
    if (found != object.end() && found->is_number_integer()) {
      if (*found <= step) kept += line + "\n";
    } else if (!lines.eof() && damaged++ == 0) {  // the last line may have been cut by whatever ended the run
      first_damaged = number;
    }
  }
  if (damaged > 0) {
    const fs::path copy = path.string() + ".damaged";
    write_file(copy, read_file(path));
    warn("{}: {} lines hold no metrics, the first is line {}. They are left out; the file as it was is {}",
         path.string(), damaged, first_damaged, copy.string());
  }
  write_file(path, kept);
}

}  // namespace verbund
