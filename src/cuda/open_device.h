// SPDX-License-Identifier: Apache-2.0
// open_device opens the device that a configuration or a flag asks for.
#pragma once

#include <memory>
#include <optional>

#include "config/device_config.h"
#include "cuda/search.h"
#include "device/device.h"

namespace verbund {

struct DeviceRequest {
  DeviceChoice choice = DeviceChoice::kAuto;
  Precision precision = Precision::kFp32;
  bool is_default = false;  // the user did not choose the precision: fp32 where the device does not have it
  int number = 0;           // of the GPU on its host: one for each rank
};

// Refuses a device that this machine lacks, naming what is missing. `auto` uses a GPU if there is a usable one.
std::unique_ptr<Device> open_device(const DeviceRequest& request);

// The local rank among the processes that mpirun or Slurm started on this host; 0 if neither did.
int started_local_rank();

// The places of the requested device's libraries. Refuses `emulated` where the program was built without tests.
cuda::Search search_for(DeviceChoice choice);

// The GPU of a rank: one for each, by its local rank; none: there are more ranks than GPUs on the host.
std::optional<int> gpu_of_worker(int local_rank, size_t gpus);

}  // namespace verbund
