#include "record/metrics_file.h"

#include <sstream>

#include "core/file.h"
#include "core/log.h"

namespace verbund {

void MetricsFile::begin(int64_t step) {
  file_.reset();
  drop_after(step);
  file_.emplace(path_);
}

void MetricsFile::metrics(const nlohmann::ordered_json& line) {
  nlohmann::ordered_json whole = line;
  whole["start"] = start_;
  if (file_->add_line(whole.dump()) || std::exchange(warned_, true)) return;
  warn("cannot write to {} (is the disk full?): training goes on, but what it logs is lost", path_.string());
}

void MetricsFile::drop_after(int64_t step) const {
  if (!fs::exists(path_)) return;
  std::string kept;
  size_t number = 0, damaged = 0, first_damaged = 0;
  std::istringstream lines(read_file(path_));
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
    const fs::path copy = path_.string() + ".damaged";
    write_file(copy, read_file(path_));
    warn("{}: {} lines hold no metrics, the first is line {}. They are left out; the file as it was is {}",
         path_.string(), damaged, first_damaged, copy.string());
  }
  write_file(path_, kept);
}

}  // namespace verbund
