// Who carries gradients from worker to worker: the hosts, or their GPUs among themselves.
#pragma once

#include "collectives/workers.h"
#include "device/device.h"

namespace verbund {

// By all workers together: refuses a run of which some compute on GPUs and some do not, or of which two share one.
void check_same_device(Workers& workers, const Device& device);

// By all workers together, as workers.transport says. Null: the hosts.
std::unique_ptr<DeviceCommunicator> connect_devices(Workers& workers, Device& device, const WorkersConfig& config);

}  // namespace verbund
