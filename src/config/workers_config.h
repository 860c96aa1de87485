// SPDX-License-Identifier: Apache-2.0
// WorkersConfig: communication between the workers of a run. Of these settings only the rounding of the wire and the
// rounds of local steps (sync_every and what belongs to it) change what is learned.
#pragma once

#include <cstddef>
#include <cstdint>

#include "config/fields.h"

namespace verbund {

enum class Wire { kFp32, kBf16, kFp16, kInt8 };
constexpr const char* kWireNames[] = {"fp32", "bf16", "fp16", "int8"};
constexpr size_t kWireBlock = 256;  // values of int8 that share a scale

// Bytes of a value on the wire.
constexpr double wire_bytes(Wire wire) {
  return wire == Wire::kFp32 ? 4 : wire == Wire::kInt8 ? 1 + 4.0 / kWireBlock : 2;
}

enum class Exchange { kAuto, kMpi, kNccl };

struct WorkersConfig {
  Wire wire = Wire::kFp32;
  Exchange transport = Exchange::kAuto;
  int64_t bucket_kb = 0;
  bool shard_optimizer = false;
  int64_t sync_every = 1;
  int64_t sync_delay = 0;
  double outer_rate = 1;
  double outer_momentum = 0;
  int64_t check_every = 1000;
  double stall_warning_seconds = 15;
  double deadline_seconds = 300;

  void fields(FieldVisitor& visit) {
    visit.choice("wire", wire, {kWireNames[0], kWireNames[1], kWireNames[2], kWireNames[3]},
                 "type of gradients sent between hosts; sums are fp32. The rounding error of int8 is added to the "
                 "gradient of the next step");
    visit.choice(
        "transport", transport, {"auto", "mpi", "nccl"},
        "transport of gradients of GPUs: nccl, from GPU to GPU in fp32; mpi, through the hosts, with the wire; "
        "auto: nccl if it is installed and the wire is fp32. CPUs always use mpi");
    visit.field(
        "bucket_kb", bucket_kb, {0, 1 << 22},
        "size in KiB of the gradient buckets that are sent during the backward pass; 0: tuned in the first steps");
    visit.field("shard_optimizer", shard_optimizer,
                "each worker keeps and updates only its shard of the optimiser state, which saves memory");
    visit.field("sync_every", sync_every, {1, 1000000},
                "steps between exchanges; 1: gradients are summed in every step. More: each worker trains on its own, "
                "then all take an outer step with the mean change of their weights (DiLoCo), for slow networks");
    visit.field("sync_delay", sync_delay, {0, 999999},
                "steps before the end of such a round in which the weights are sent while training continues");
    visit.field("outer_rate", outer_rate, {1e-6, 10}, "learning rate of the outer step");
    visit.field("outer_momentum", outer_momentum, {0, 0.9999}, "Nesterov momentum of the outer step");
    visit.field("check_every", check_every, {0, INT64_MAX},
                "steps between comparisons of the weights of all workers; 0: never");
    visit.field("stall_warning_seconds", stall_warning_seconds, {0.1, 1e9},
                "waiting time after which the worker that the others wait for is named");
    visit.field("deadline_seconds", deadline_seconds, {0.1, 1e9}, "waiting time after which the run ends");
  }

  // Workers train on their own between exchanges.
  bool has_rounds() const { return sync_every > 1; }
};

// Refuses settings that contradict each other.
void check_workers(const WorkersConfig& config);

}  // namespace verbund
