// SPDX-License-Identifier: Apache-2.0
// The emulated NCCL's collectives on the CPU, block by block through a RankMeeting: sums in the order of ranks, so that
// all ranks get the same bits, and a check that all of them are in the same call.
#pragma once

#include <cstddef>
#include <string>

#include "cuda/nccl_api.h"
#include "emulated/rank_meeting.h"

namespace emulated {

struct Collective {
  enum Kind { kAllReduce, kReduceScatter, kAllGather, kBroadcast };
  Kind kind;
  const void* send;
  void* receive;
  size_t count;  // as NCCL counts: of what a rank receives (reduce-scatter), sends (all-gather), or of all
  verbund::cuda::ncclDataType_t type;
  verbund::cuda::ncclRedOp_t operation = verbund::cuda::ncclSum;
  int root = 0;
};

struct Outcome {
  enum End { kDone, kAborted, kDisagreement };
  End end;
  std::string why;
};

// `number` counts the communicator's calls. What is received is NaN if it does not come to its end.
Outcome run_collective(RankMeeting& meeting, const Collective& collective, int64_t number);

size_t size_of(verbund::cuda::ncclDataType_t type);  // 0: there is no such type here
size_t send_bytes(const Collective& collective, int ranks);
size_t receive_bytes(const Collective& collective, int ranks);
const char* function_name(Collective::Kind kind);

}  // namespace emulated
