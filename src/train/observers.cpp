#include "train/observers.h"

#include "telemetry/metrics_file.h"
#include "train/console_log.h"

namespace verbund {

std::unique_ptr<Observers> make_observers(const Run& run) {
  auto observers = std::make_unique<Observers>();
  if (!run.workers.leads()) return observers;
  const std::filesystem::path& folder = run.request.run;
  observers->add(std::make_unique<ConsoleLog>(run));
  observers->add(std::make_unique<MetricsFile>(folder));
  return observers;
}

}  // namespace verbund
