#include "resources/resource_source.h"

#include <fstream>
#include <iterator>

#include "resources/nvml.h"

namespace verbund {

std::optional<std::string> system_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return {};
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad()) return {};  // a sensor may be there and fail
  return text;
}

std::vector<ResourceSource> resource_sources(bool host, const SystemFolders& folders) {
  std::vector<ResourceSource> sources;
  sources.push_back(process_source(folders));
  if (!host) return sources;
  sources.push_back(cpu_source(folders));
  sources.push_back(memory_source(folders));
  sources.push_back(pressure_source(folders));
  sources.push_back(load_source(folders));
  sources.push_back(temperature_source(folders));
  sources.push_back(frequency_source(folders));
  sources.push_back(interface_source(folders));
  sources.push_back(disk_source(folders));
  sources.push_back(gpu_source(Nvml::load()));
  return sources;
}

}  // namespace verbund
