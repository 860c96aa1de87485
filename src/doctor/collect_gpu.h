// What a worker can find out about the GPUs of its host: NVIDIA's libraries, the GPU that is its own, and whether that
// computes what the CPU does.
#pragma once

#include <memory>

#include "control/worker.h"
#include "config/config.h"
#include "device/device.h"
#include "doctor/facts.h"

namespace verbund {

struct CollectedGpu {
  GpuFacts facts;
  std::unique_ptr<Device> device;  // null if it is not to be used, or cannot be
};

// Never throws for what is wrong with a GPU: that is among the facts.
CollectedGpu collect_gpu_facts(const Worker& self, const Config& config);

}  // namespace verbund
