// SPDX-License-Identifier: Apache-2.0
// The sources of the machine's devices: network interfaces, disks, GPUs.
#include <algorithm>

#include "resources/machine_text.h"
#include "resources/nvml.h"
#include "resources/resource_source.h"

namespace verbund {
namespace {

namespace fs = std::filesystem;
using enum ResourceSource::Kind;

// A machine may have hundreds of interfaces, one per container; its own come first.
constexpr size_t kMaxDevices = 32;

// A partition is part of its disk; only disks have a folder in /sys/block.
bool is_disk(const std::string& name, const fs::path& blocks) {
  if (name.starts_with("loop") || name.starts_with("ram")) return false;
  std::error_code none;
  return !fs::exists(blocks, none) || fs::exists(blocks / name, none);
}

// The entry of this name; nullptr if it is gone.
template <typename Counters>
const Counters* find(const std::vector<Counters>& all, const std::string& name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Counters& one) { return one.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

ResourceSource interface_source(const SystemFolders& folders) {
  ResourceSource source;
  std::vector<std::string> names;
  const fs::path path = folders.proc / "net/dev";
  for (const InterfaceCounters& found : parse_interfaces(system_text(path).value_or(""))) {
    if (names.size() == kMaxDevices) break;
    const std::string name = "net." + found.name;
    names.push_back(found.name);
    source.columns.push_back({{name + ".received_bytes", "bytes/s", ""}, kCounted});
    source.columns.push_back({{name + ".sent_bytes", "bytes/s", ""}, kCounted});
    source.columns.push_back({{name + ".received_packets", "1/s", ""}, kCounted});
    source.columns.push_back({{name + ".sent_packets", "1/s", ""}, kCounted});
  }
  source.read = [path, names](std::span<double> values) {
    const auto all = parse_interfaces(system_text(path).value_or(""));
    for (size_t i = 0; i < names.size(); ++i) {
      const InterfaceCounters* now = find(all, names[i]);
      if (now == nullptr) continue;
      values[4 * i] = static_cast<double>(now->received_bytes);
      values[4 * i + 1] = static_cast<double>(now->sent_bytes);
      values[4 * i + 2] = static_cast<double>(now->received_packets);
      values[4 * i + 3] = static_cast<double>(now->sent_packets);
    }
  };
  return source;
}

ResourceSource disk_source(const SystemFolders& folders) {
  ResourceSource source;
  std::vector<std::string> names;
  const fs::path path = folders.proc / "diskstats";
  for (const DiskCounters& found : parse_disks(system_text(path).value_or(""))) {
    if (!is_disk(found.name, folders.sys / "block")) continue;
    if (names.size() == kMaxDevices) break;
    names.push_back(found.name);
    source.columns.push_back({{"disk." + found.name + ".read_bytes", "bytes/s", ""}, kCounted});
    source.columns.push_back({{"disk." + found.name + ".written_bytes", "bytes/s", ""}, kCounted});
  }
  source.read = [path, names](std::span<double> values) {
    const auto all = parse_disks(system_text(path).value_or(""));
    for (size_t i = 0; i < names.size(); ++i) {
      const DiskCounters* now = find(all, names[i]);
      if (now == nullptr) continue;
      values[2 * i] = static_cast<double>(now->read_bytes);
      values[2 * i + 1] = static_cast<double>(now->written_bytes);
    }
  };
  return source;
}

ResourceSource gpu_source(std::shared_ptr<Nvml> nvml) {
  if (nvml == nullptr) return {};
  ResourceSource source;
  const int count = nvml->devices();
  for (int i = 0; i < count; ++i) {
    const std::string name = "gpu." + std::to_string(i);
    source.columns.push_back({{name + ".use", "share", "of the time in which a kernel ran"}, kNow});
    source.columns.push_back({{name + ".memory_bytes", "bytes", "in use"}, kNow});
    source.columns.push_back({{name + ".power_w", "watts", ""}, kNow});
    source.columns.push_back({{name + ".temperature_c", "degrees Celsius", ""}, kNow});
  }
  source.read = [nvml = std::move(nvml), count](std::span<double> values) {
    for (int i = 0; i < count; ++i) {
      const GpuState now = nvml->state(i);
      const std::optional<double> all[] = {now.use, now.memory_bytes, now.power_w, now.temperature_c};
      for (size_t k = 0; k < std::size(all); ++k) {
        if (all[k]) values[static_cast<size_t>(i) * std::size(all) + k] = *all[k];
      }
    }
  };
  return source;
}

}  // namespace verbund
