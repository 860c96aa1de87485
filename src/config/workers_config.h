// How the workers of a run keep together. None of it changes what is learned, but the wire's
// rounding.
#pragma once

#include <cstddef>
#include <cstdint>

#include "config/fields.h"

namespace verbund {

enum class Wire { kFp32, kBf16, kFp16, kInt8 };
constexpr const char* kWireNames[] = {"fp32", "bf16", "fp16", "int8"};
constexpr size_t kWireBlock = 256;  // so many values of int8 share a scale

// Bytes on the wire, of a value.
constexpr double wire_bytes(Wire wire) {
  return wire == Wire::kFp32 ? 4 : wire == Wire::kInt8 ? 1 + 4.0 / kWireBlock : 2;
}

enum class Exchange { kAuto, kMpi, kNccl };

struct WorkersConfig {
  Wire wire = Wire::kFp32;
  Exchange transport = Exchange::kAuto;
  int64_t bucket_kb = 0;
  bool shard_optimizer = false;
  int64_t check_every = 1000;
  double stall_warning_seconds = 15;
  double deadline_seconds = 300;

  void fields(FieldVisitor& visit) {
    visit.choice(
        "wire", wire, {kWireNames[0], kWireNames[1], kWireNames[2], kWireNames[3]},
        "what gradients are rounded to on their way between hosts; sums are fp32. What int8 rounds away is made "
        "up for in the next step");
    visit.choice("transport", transport, {"auto", "mpi", "nccl"},
                 "who carries the gradients of GPUs: nccl, from GPU to GPU in fp32; mpi, by the hosts, with the wire; "
                 "auto: nccl, if it is there and the wire is fp32. CPUs have mpi alone");
    visit.field(
        "bucket_kb", bucket_kb, {0, 1 << 22},
        "gradients leave in buckets of so many KiB while the backward pass goes on; 0: found in the first steps");
    visit.field("shard_optimizer", shard_optimizer,
                "each worker keeps and updates only its part of the optimiser's state: less memory");
    visit.field("check_every", check_every, {0, INT64_MAX},
                "steps between two comparisons of all workers' weights; 0: never");
    visit.field("stall_warning_seconds", stall_warning_seconds, {0.1, 1e9},
                "when others wait so long for a worker, it is named");
    visit.field("deadline_seconds", deadline_seconds, {0.1, 1e9}, "when they wait so long, the run ends");
  }
};

}  // namespace verbund
