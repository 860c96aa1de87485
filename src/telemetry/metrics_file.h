// metrics.jsonl: one object per logged step or evaluation. A resumed run goes on in it, after what it will make again
// is forgotten: the file is the run's curve.
#pragma once

#include <filesystem>
#include <optional>

#include "core/append_file.h"
#include "telemetry/run_observer.h"

namespace verbund {

class MetricsFile : public RunObserver {
 public:
  explicit MetricsFile(const std::filesystem::path& folder) : path_(folder / "metrics.jsonl") {}

  void begin(int64_t step) override;
  void metrics(const nlohmann::ordered_json& line) override;

 private:
  void drop_after(int64_t step) const;

  std::filesystem::path path_;
  std::optional<AppendFile> file_;
  bool warned_ = false;
};

}  // namespace verbund
