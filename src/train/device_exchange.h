// Connection of the workers' GPUs, which exchange gradients directly (NCCL) or through their hosts.
#pragma once

#include "collectives/workers.h"
#include "device/device.h"

namespace verbund {

// Collective: refuses a run in which only some workers have a GPU, or in which two share one.
void check_same_device(Workers& workers, const Device& device);

// Collective: connects the GPUs as workers.transport says. Null: the hosts exchange gradients.
std::unique_ptr<DeviceCommunicator> connect_devices(Workers& workers, Device& device, const WorkersConfig& config);

}  // namespace verbund
