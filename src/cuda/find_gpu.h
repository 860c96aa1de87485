// Where the libraries of the wished device are looked for, and which of a host's GPUs is a worker's.
#pragma once

#include <optional>

#include "config/device_config.h"
#include "cuda/search.h"

namespace verbund {

// Refuses `emulated` where the program was built without tests.
cuda::Search search_for(DeviceChoice choice);

// One GPU for each worker, by its number on the host; none: there are more workers than GPUs.
std::optional<int> gpu_of_worker(int local_rank, size_t gpus);

}  // namespace verbund
