// Where the columns of resources/ come from. Each source finds out once which columns it can tell, and reads them when
// it is asked to; one that finds nothing has none, as many have in a container. A new one is a function here and a line
// in `resource_sources`.
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
  // What is counted since the machine or the process started becomes a change per second in the rows.
  enum Kind { kNow, kCounted };
  struct Column {
    ResourceColumn column;
    Kind kind = kNow;
  };

  std::vector<Column> columns;
  std::function<void(std::span<double> values)> read;  // one for each column; NaN stays what cannot be read
};

// Where the system's small text files are; tests have their own.
struct SystemFolders {
  std::filesystem::path proc = "/proc", sys = "/sys";
};

// The worker itself.
ResourceSource process_source(const SystemFolders& folders);

// Its machine.
ResourceSource cpu_source(const SystemFolders& folders);
ResourceSource memory_source(const SystemFolders& folders);
ResourceSource pressure_source(const SystemFolders& folders);
ResourceSource load_source(const SystemFolders& folders);
ResourceSource temperature_source(const SystemFolders& folders);
ResourceSource frequency_source(const SystemFolders& folders);
ResourceSource interface_source(const SystemFolders& folders);
ResourceSource disk_source(const SystemFolders& folders);
ResourceSource gpu_source(std::shared_ptr<Nvml> nvml);  // nullptr: none

// All that a worker samples; `host`: also what is the same for all workers of its host.
std::vector<ResourceSource> resource_sources(bool host, const SystemFolders& folders = {});

// The file's text; nothing if it cannot be read.
std::optional<std::string> system_text(const std::filesystem::path& path);

}  // namespace verbund
