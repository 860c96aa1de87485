#include "train/run_log.h"

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/file.h"
#include "core/log.h"
#include "text/line_reader.h"

namespace verbund {
namespace {

std::FILE* open_to_append(const fs::path& path) {
  std::FILE* file = std::fopen(path.c_str(), "a");
  if (file == nullptr) fail_errno("cannot write {}", path.string());
  return file;
}

void append(std::FILE* file, const std::string& line) {
  static bool warned = false;
  if ((std::fputs((line + "\n").c_str(), file) < 0 || std::fflush(file) != 0) && !std::exchange(warned, true)) {
    warn("cannot write to the run's log (is the disk full?): training goes on, but what it logs is lost");
  }
}

}  // namespace

RunLog::RunLog(const fs::path& folder)
    : text_(open_to_append(folder / "log.txt")), metrics_(open_to_append(folder / "metrics.jsonl")) {}

RunLog::~RunLog() {
  std::fclose(text_);
  std::fclose(metrics_);
}

void RunLog::line(const std::string& text) {
  log_line(text);
  note(text);
}

void RunLog::note(const std::string& text) { append(text_, text); }

void RunLog::metrics(const nlohmann::ordered_json& object) { append(metrics_, object.dump()); }

void RunLog::drop_after(const fs::path& folder, int64_t step) {
  const fs::path path = folder / "metrics.jsonl";
  if (!fs::exists(path)) return;
  LineReader reader(path);
  std::string kept;
  for (std::string line; reader.next_line(line);) {
    const auto object = nlohmann::json::parse(line, nullptr, false);  // the last line may be cut
    if (object.is_object() && object.value("step", int64_t{0}) <= step) kept += line + "\n";
  }
  write_file(path, kept);
}

}  // namespace verbund
