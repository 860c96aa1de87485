// SPDX-License-Identifier: Apache-2.0
#include "config/workers_config.h"

#include "core/error.h"

namespace verbund {

void check_workers(const WorkersConfig& config) {
  if (config.sync_delay >= config.sync_every) {
    fail_usage(
        "workers.sync_delay is {}, but workers.sync_every is {}: weights are sent within a round, so the delay must be "
        "smaller",
        config.sync_delay, config.sync_every);
  }
  if (config.transport == Exchange::kNccl && config.wire != Wire::kFp32) {
    fail_usage("workers.wire {} needs workers.transport mpi: nccl exchanges fp32",
               kWireNames[static_cast<size_t>(config.wire)]);
  }
  if (!config.has_rounds()) return;
  if (config.shard_optimizer) {
    fail_usage(
        "workers.sync_every={} cannot be used with workers.shard_optimizer: each worker trains on its own and needs "
        "the whole state of its optimiser",
        config.sync_every);
  }
  if (config.transport == Exchange::kNccl) {
    fail_usage("workers.sync_every={} needs workers.transport mpi (or auto): weights are exchanged by the hosts",
               config.sync_every);
  }
}

}  // namespace verbund
