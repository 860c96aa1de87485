// SPDX-License-Identifier: Apache-2.0
// ResourceSource reads some columns of resources/: it finds out once which columns it has, and reads them on demand. In
// a container, many sources have none. A new source is a function here and a line in `resource_sources`.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "resources/resources.h"

namespace verbund {

class Nvml;

struct ResourceSource {
  enum Kind {
    kNow,      // a value at the time of reading
    kCounted,  // a counter since the machine or the process started: rows hold its change per second
  };
  struct Column {
    ResourceColumn column;
    Kind kind = kNow;
  };

  std::vector<Column> columns;
  std::function<void(std::span<double> values)> read;  // one per column; what cannot be read stays NaN
};

// The folders of the system's text files; tests have their own.
struct SystemFolders {
  std::filesystem::path proc = "/proc", sys = "/sys";
};

// The worker's process.
ResourceSource process_source(const SystemFolders& folders);

// The worker's machine.
ResourceSource cpu_source(const SystemFolders& folders);
ResourceSource memory_source(const SystemFolders& folders);
ResourceSource pressure_source(const SystemFolders& folders);
ResourceSource load_source(const SystemFolders& folders);
ResourceSource temperature_source(const SystemFolders& folders);
ResourceSource frequency_source(const SystemFolders& folders);
ResourceSource interface_source(const SystemFolders& folders);
ResourceSource disk_source(const SystemFolders& folders);
ResourceSource gpu_source(std::shared_ptr<Nvml> nvml);  // nullptr: none

// All sources that a worker samples; `host`: with those of the machine, which one worker per host samples.
std::vector<ResourceSource> resource_sources(bool host, const SystemFolders& folders = {});

// The text of a file; nothing if it cannot be read.
std::optional<std::string> system_text(const std::filesystem::path& path);

// Rates turns two consecutive readings into a row: counters become changes per second.
class Rates {
 public:
  explicit Rates(std::vector<ResourceSource::Kind> kinds) : kinds_(std::move(kinds)) {}

  // `seconds`: on a steady clock. Returns nothing the first time. A counter that went back, as that of a network
  // interface does that was created again, has no value this time.
  std::optional<std::vector<float>> row(double seconds, const std::vector<double>& reading);

 private:
  const std::vector<ResourceSource::Kind> kinds_;
  double before_ = 0;
  std::vector<double> last_;
};

}  // namespace verbund
