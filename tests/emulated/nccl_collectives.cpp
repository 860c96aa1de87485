// SPDX-License-Identifier: Apache-2.0
// The emulated NCCL: collectives and groups. Refuses, with a message, what NCCL refuses, hangs on or leaves undefined.
#include <fmt/format.h>

#include <utility>
#include <vector>

#include "emulated/collective.h"
#include "emulated/communicator.h"

namespace emulated {

using namespace verbund::cuda;

namespace {

struct Queued {
  CUstream stream;
  Work work;
};

thread_local int group_depth = 0;
thread_local std::vector<Queued> group;
thread_local ncclResult_t group_error = ncclSuccess;

std::string check_types(const Collective& call, int ranks) {
  if (size_of(call.type) == 0) return fmt::format("there is no type {}", static_cast<int>(call.type));
  if (call.operation < ncclSum || call.operation > ncclAvg) {
    return fmt::format("there is no operation {}", static_cast<int>(call.operation));
  }
  if (call.root < 0 || call.root >= ranks) return fmt::format("there is no rank {} of {}", call.root, ranks);
  return "";
}

std::string check_buffer(const char* name, const void* buffer, size_t bytes, size_t alignment, CUcontext context) {
  if (bytes == 0) return "";
  if (reinterpret_cast<uintptr_t>(buffer) % alignment != 0) {
    return fmt::format("{} at {} is not aligned to {} bytes", name, buffer, alignment);
  }
  if (!in_device_memory(context, buffer, bytes)) {
    return fmt::format("{}, {} bytes from {}, is not in memory of device {}", name, bytes, buffer, device_of(context));
  }
  return "";
}

// Both are the same memory where the rank's part is its own, or have nothing in common.
std::string check_in_place(const Collective& call, int ranks, int rank) {
  const auto send = reinterpret_cast<uintptr_t>(call.send), receive = reinterpret_cast<uintptr_t>(call.receive);
  const size_t own = static_cast<size_t>(rank) * call.count * size_of(call.type);
  const uintptr_t send_own = send + (call.kind == Collective::kReduceScatter ? own : 0);
  const uintptr_t receive_own = receive + (call.kind == Collective::kAllGather ? own : 0);
  if (send_own == receive_own) return "";
  if (send >= receive + receive_bytes(call, ranks) || receive >= send + send_bytes(call, ranks)) return "";
  return "the buffers overlap, but not as NCCL defines it in place";
}

bool sends(const Collective& call, int rank) { return call.kind != Collective::kBroadcast || call.root == rank; }

std::string check(const Collective& call, const Communicator& comm) {
  const int ranks = comm.meeting.ranks(), rank = comm.meeting.rank();
  std::string wrong = check_types(call, ranks);
  if (!wrong.empty()) return wrong;
  const size_t alignment = size_of(call.type);
  wrong = check_buffer("what it receives", call.receive, receive_bytes(call, ranks), alignment, comm.context);
  if (!wrong.empty() || !sends(call, rank)) return wrong;
  wrong = check_buffer("what it sends", call.send, send_bytes(call, ranks), alignment, comm.context);
  return !wrong.empty() ? wrong : check_in_place(call, ranks, rank);
}

// NCCL brings calls on several streams into order; here one stream does that.
std::string check_stream(Communicator& comm, CUstream stream) {
  if (context_of(stream) != comm.context) {
    return fmt::format("the stream is not of the communicator's device {}", device_of(comm.context));
  }
  const std::lock_guard lock(comm.mutex);
  if (!comm.stream) comm.stream = stream;
  return *comm.stream == stream ? "" : "the double knows one stream for each communicator, and this is another";
}

Work make_work(const std::shared_ptr<Communicator>& comm, const Collective& call) {
  int64_t number = 0;
  {
    const std::lock_guard lock(comm->mutex);
    number = comm->calls++;
  }
  Work work{.name = function_name(call.kind), .waits_for_others = true};
  work.run = [comm, call, number] {
    const Outcome outcome = run_collective(comm->meeting, call, number);
    if (outcome.end != Outcome::kDisagreement) return;
    refuse(ncclInvalidUsage, "ranks disagree: " + outcome.why);
    comm->error = ncclInvalidUsage;  // after the words: whoever sees the error asks for them
    throw Failure{CUDA_ERROR_LAUNCH_FAILED, fmt::format("{} failed, see above", function_name(call.kind))};
  };
  if (sends(call, comm->meeting.rank())) {
    work.ranges.push_back({call.send, send_bytes(call, comm->meeting.ranks()), false});
  }
  work.ranges.push_back({call.receive, receive_bytes(call, comm->meeting.ranks()), true});
  return work;
}

ncclResult_t queue(Queued queued) {
  return enqueue(queued.stream, std::move(queued.work)) == CUDA_SUCCESS
             ? ncclSuccess
             : refuse(ncclUnhandledCudaError, "the stream's context has failed before");
}

ncclResult_t start(ncclComm_t handle, const Collective& call, CUstream stream) {
  const auto refuse_call = [&](ncclResult_t result, const std::string& why) {
    if (in_group() && group_error == ncclSuccess) group_error = result;
    return refuse(result, fmt::format("{}: {}", function_name(call.kind), why));
  };
  const std::shared_ptr<Communicator> comm = find_communicator(handle);
  if (!comm) return refuse_call(ncclInvalidArgument, "this is not a communicator");
  if (comm->error != ncclSuccess) return refuse_call(comm->error, "the communicator has failed before");
  if (const std::string wrong = check(call, *comm); !wrong.empty()) return refuse_call(ncclInvalidArgument, wrong);
  if (const std::string wrong = check_stream(*comm, stream); !wrong.empty()) {
    return refuse_call(ncclInvalidUsage, wrong);
  }
  Queued queued{stream, make_work(comm, call)};
  if (!in_group()) return queue(std::move(queued));
  group.push_back(std::move(queued));
  return ncclSuccess;
}

}  // namespace

bool in_group() { return group_depth > 0; }

}  // namespace emulated

namespace verbund::cuda {

using namespace emulated;

ncclResult_t ncclAllReduce(const void* send, void* receive, size_t count, ncclDataType_t type, ncclRedOp_t operation,
                           ncclComm_t comm, CUstream stream) {
  return start(comm, {Collective::kAllReduce, send, receive, count, type, operation}, stream);
}

ncclResult_t ncclReduceScatter(const void* send, void* receive, size_t receive_count, ncclDataType_t type,
                               ncclRedOp_t operation, ncclComm_t comm, CUstream stream) {
  return start(comm, {Collective::kReduceScatter, send, receive, receive_count, type, operation}, stream);
}

ncclResult_t ncclAllGather(const void* send, void* receive, size_t send_count, ncclDataType_t type, ncclComm_t comm,
                           CUstream stream) {
  return start(comm, {Collective::kAllGather, send, receive, send_count, type}, stream);
}

ncclResult_t ncclBroadcast(const void* send, void* receive, size_t count, ncclDataType_t type, int root,
                           ncclComm_t comm, CUstream stream) {
  return start(comm, {Collective::kBroadcast, send, receive, count, type, ncclSum, root}, stream);
}

ncclResult_t ncclGroupStart() {
  ++group_depth;
  return ncclSuccess;
}

// All or nothing: if a call in the group was refused, none is made.
ncclResult_t ncclGroupEnd() {
  if (group_depth == 0) return refuse(ncclInvalidUsage, "ncclGroupEnd: there was no ncclGroupStart");
  if (--group_depth > 0) return ncclSuccess;
  std::vector<Queued> queued = std::exchange(group, {});
  ncclResult_t result = std::exchange(group_error, ncclSuccess);
  if (result != ncclSuccess) return result;
  for (Queued& one : queued) {
    if (const ncclResult_t its = queue(std::move(one)); result == ncclSuccess) result = its;
  }
  return result;
}

}  // namespace verbund::cuda
