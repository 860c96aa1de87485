#include "train/device_exchange.h"

#include "core/error.h"
#include "core/log.h"

namespace verbund {

void check_same_device(Workers& workers, const Device& device) {
  const DeviceFacts& facts = device.facts();
  workers.must_agree("what computes (device: auto takes a GPU where there is one)",
                     facts.kind == "cpu" ? "the CPU" : "a GPU by " + facts.kind);
}

std::unique_ptr<DeviceCommunicator> connect_devices(Workers& workers, Device& device, const WorkersConfig& config) {
  const bool wished = config.transport == Exchange::kNccl;
  if (wished && config.wire != Wire::kFp32) {
    fail_usage("workers.wire {} goes with workers.transport mpi: nccl exchanges fp32",
               kWireNames[static_cast<size_t>(config.wire)]);
  }
  const std::string trouble = device.trouble_with_communicator();
  if (wished && !trouble.empty()) fail_usage("workers.transport nccl cannot be had: {}", trouble);
  if (workers.size() == 1 || config.transport == Exchange::kMpi || config.wire != Wire::kFp32) return nullptr;
  if (workers.comm().any(!trouble.empty())) {
    if (workers.leads() && !device.is_host()) {
      log("gradients travel through the hosts' memory: {}", trouble.empty() ? "a worker has no NCCL" : trouble);
    }
    return nullptr;
  }
  const std::string id = workers.comm().broadcast(workers.leads() ? device.new_communicator_id() : "");
  workers.watch().report_phase(0, "connecting the GPUs");
  // NCCL waits for all without a limit: by the thread of communication the watch knows who has not come.
  std::unique_ptr<DeviceCommunicator> devices;
  workers
      .start("meeting of the GPUs",
             [&](Communicator&) { devices = device.connect(id, workers.rank(), workers.size()); })
      .get();
  workers.watch().report_phase(0, "start");
  return devices;
}

}  // namespace verbund
