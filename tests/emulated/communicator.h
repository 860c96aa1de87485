// SPDX-License-Identifier: Apache-2.0
// A communicator of the emulated NCCL: its ranks and its errors. Work in streams keeps it alive after the
// handle is gone.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "cuda/nccl_api.h"
#include "emulated/device_work.h"
#include "emulated/rank_meeting.h"

namespace verbund::cuda {

#define EMULATED_DECLARE(result, name, parameters) EMULATED_EXPORT result name parameters;
VERBUND_CUDA_NCCL_FUNCTIONS(EMULATED_DECLARE)
#undef EMULATED_DECLARE

}  // namespace verbund::cuda

namespace emulated {

struct Communicator {
  Communicator(const std::string& name, int ranks, int rank, verbund::cuda::CUcontext its_context)
      : meeting(name, ranks, rank), context(its_context) {}

  RankMeeting meeting;
  verbund::cuda::CUcontext context;
  std::mutex mutex;                               // of the two that follow
  std::optional<verbund::cuda::CUstream> stream;  // of the first call
  int64_t calls = 0;
  std::atomic<verbund::cuda::ncclResult_t> error = verbund::cuda::ncclSuccess;
};

verbund::cuda::ncclComm_t add_communicator(std::shared_ptr<Communicator> communicator);
std::shared_ptr<Communicator> find_communicator(verbund::cuda::ncclComm_t comm);  // nullptr: there is none
std::shared_ptr<Communicator> remove_communicator(verbund::cuda::ncclComm_t comm);

// Remembers the message for ncclGetLastError, says it, and returns the result.
verbund::cuda::ncclResult_t refuse(verbund::cuda::ncclResult_t result, const std::string& message);

// Whether calls of this thread are in a group: they are queued at its end.
bool in_group();

}  // namespace emulated
