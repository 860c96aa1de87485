// The GPUs of this machine, through NVIDIA's management library if that is installed: it is loaded when the program
// runs, and nothing is missing where it is not.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "resources/nvml_functions.h"

namespace verbund {

// What the library or the GPU cannot tell is not there.
struct GpuState {
  std::optional<double> use;  // share of the time in which some kernel ran
  std::optional<double> memory_bytes;
  std::optional<double> power_w;
  std::optional<double> temperature_c;
};

class Nvml {
 public:
  // nullptr: there is no such library, or no GPU that it knows.
  static std::shared_ptr<Nvml> load(const std::string& library = "libnvidia-ml.so.1");
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  int devices() const { return static_cast<int>(devices_.size()); }
  GpuState state(int device) const;

 private:
  explicit Nvml(void* library);
  bool start();

  template <typename Function>
  Function find(const char* name) const;

  void* library_;
  bool started_ = false;
  std::vector<nvml::Device> devices_;
  nvml::DeviceGetUtilizationRates use_ = nullptr;
  nvml::DeviceGetMemoryInfo memory_ = nullptr;
  nvml::DeviceGetPowerUsage power_ = nullptr;
  nvml::DeviceGetTemperature temperature_ = nullptr;
};

}  // namespace verbund
