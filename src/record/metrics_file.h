// metrics.jsonl: one object per logged step or evaluation. A resumed run goes on in it, after what it will make again
// is forgotten: the file is the run's curve.
#pragma once

#include <filesystem>
#include <optional>

#include "core/append_file.h"
#include "record/run_observer.h"

namespace verbund {

class MetricsFile : public RunObserver {
 public:
  // `start`: which of the run's starts this is, from 0; every line says so.
  MetricsFile(const std::filesystem::path& folder, int64_t start) : path_(folder / "metrics.jsonl"), start_(start) {}

  void begin(int64_t step) override;
  void metrics(const nlohmann::ordered_json& line) override;

 private:
  void drop_after(int64_t step) const;

  std::filesystem::path path_;
  int64_t start_;
  std::optional<AppendFile> file_;
  bool warned_ = false;
};

}  // namespace verbund
