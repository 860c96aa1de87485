// SPDX-License-Identifier: Apache-2.0
// Facts that a worker collects about itself, its host and its GPU, without the other workers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "config/config.h"
#include "control/worker.h"
#include "device/device.h"
#include "doctor/facts.h"

namespace verbund {

// The planned training.
struct Training {
  std::string program;      // version and commit
  std::string config_file;  // "": none
  std::vector<std::string> overrides;
  std::string data;  // folder; "": none
  std::string run;   // folder; "": none
};

struct Collected {
  WorkerFacts facts;
  std::unique_ptr<Device> gpu;  // of the worker, if it works and is to be used
};

// Never throws for a missing or wrong configuration, dataset or GPU: that is a fact, too.
Collected collect_worker_facts(const Worker& self, int workers, const Training& training);

struct CollectedGpu {
  GpuFacts facts;
  std::unique_ptr<Device> device;  // null if it is not to be used, or does not work
};

// NVIDIA's libraries, the worker's GPU, and whether that computes the same as the CPU.
CollectedGpu collect_gpu_facts(const Worker& self, const Config& config);

}  // namespace verbund
