// What the GPUs of all workers do together: the sum that they exchange gradients by.
#pragma once

#include "collectives/workers.h"
#include "device/device.h"
#include "doctor/facts.h"

namespace verbund {

// By all workers, whose devices can connect. A few megabytes of numbers are summed by the GPUs, and by the hosts to
// compare. The same facts on all workers.
GpuSumFacts measure_gpu_sum(Workers& workers, Device& device);

}  // namespace verbund
