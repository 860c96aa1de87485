// SPDX-License-Identifier: Apache-2.0
// The connection of the workers' GPUs, see train/run_opening.h.
#include <map>
#include <optional>

#include "core/error.h"
#include "core/log.h"
#include "train/run_opening.h"

namespace verbund {
namespace {

// Slurm or a container may show one GPU to each worker, but the same one to all of them.
void check_own_gpu(Workers& workers, const DeviceFacts& facts) {
  const std::vector<std::string> uuids = workers.comm().gather(facts.uuid);
  std::map<std::pair<std::string, std::string>, size_t> seen;  // host and GPU: the worker
  std::map<std::string, int> gpus;                             // of each host
  std::optional<std::pair<size_t, size_t>> shared;
  for (size_t i = 0; i < uuids.size(); ++i) {
    const std::string& host = workers.all()[i].host;
    const auto [first, is_new] = seen.emplace(std::pair(host, uuids[i]), i);
    if (is_new) ++gpus[host];
    if (!is_new && !shared) shared.emplace(first->second, i);
  }
  if (!shared) return;
  const auto [first, second] = *shared;
  const std::string& host = workers.all()[first].host;
  fail_usage(
      "worker {} and worker {} on {} use the same GPU ({}, UUID {}), but each worker needs its own: start {} on this "
      "host (-H {}:{}), or give each another one (CUDA_VISIBLE_DEVICES; nvidia-smi -L lists them)",
      first, second, host, facts.name, uuids[first], gpus[host], host, gpus[host]);
}

}  // namespace

void check_same_device(Workers& workers, const Device& device) {
  const DeviceFacts& facts = device.facts();
  workers.must_agree("the device (device: auto uses a GPU where there is one)",
                     facts.kind == "cpu" ? "the CPU" : "a GPU by " + facts.kind);
  if (!device.is_host()) check_own_gpu(workers, facts);
}

std::unique_ptr<DeviceCommunicator> connect_devices(Workers& workers, Device& device, const WorkersConfig& config) {
  const bool requested = config.transport == Exchange::kNccl;
  const std::string trouble = device.trouble_with_communicator();
  if (requested && !trouble.empty()) fail_usage("workers.transport nccl is not available: {}", trouble);
  if (workers.size() == 1 || config.transport == Exchange::kMpi || config.wire != Wire::kFp32 || config.has_rounds()) {
    return nullptr;
  }
  if (workers.comm().any(!trouble.empty())) {
    if (workers.leads() && !device.is_host()) {
      log("exchange: gradients go through host memory: {}", trouble.empty() ? "a worker has no NCCL" : trouble);
    }
    return nullptr;
  }
  const std::string id = workers.comm().broadcast(workers.leads() ? device.new_communicator_id() : "");
  workers.watchdog().report_phase(0, "connecting the GPUs");
  // NCCL waits for all without a limit. On the communication thread, the watchdog knows which worker is missing.
  std::unique_ptr<DeviceCommunicator> devices;
  workers
      .start("connecting the GPUs",
             [&](Communicator&) { devices = device.connect(id, workers.rank(), workers.size()); })
      .get();
  workers.watchdog().report_phase(0, "start");
  return devices;
}

}  // namespace verbund
