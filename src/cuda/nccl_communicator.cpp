#include "cuda/nccl_communicator.h"

#include <cstring>
#include <exception>
#include <utility>

#include "core/error.h"

namespace verbund::cuda {
namespace {

void check_result(const Nccl& nccl, ncclResult_t result, const char* call, ncclComm_t comm) {
  if (result == ncclSuccess) return;
  const char* details = nccl.ncclGetLastError(comm);
  fail("NCCL: {} failed: {}{}{}. NCCL_DEBUG=INFO tells more; workers.transport=mpi does without it", call,
       nccl.ncclGetErrorString(result), details != nullptr && *details != '\0' ? ", " : "",
       details != nullptr ? details : "");
}

}  // namespace

std::string new_nccl_id(const Nccl& nccl) {
  ncclUniqueId id;
  check_result(nccl, nccl.ncclGetUniqueId(&id), "ncclGetUniqueId", nullptr);
  return {id.internal, sizeof(id.internal)};
}

NcclCommunicator::NcclCommunicator(std::shared_ptr<Context> context, const Nccl& nccl, const std::string& id, int rank,
                                   int size)
    : context_(std::move(context)), nccl_(nccl), side_(context_), exceptions_(std::uncaught_exceptions()) {
  ncclUniqueId meeting;
  if (id.size() != sizeof(meeting.internal)) {
    fail("worker 0's name for NCCL's meeting has {} bytes instead of {}", id.size(), sizeof(meeting.internal));
  }
  std::memcpy(meeting.internal, id.data(), id.size());
  context_->make_current();
  check(nccl_.ncclCommInitRank(&comm_, size, meeting, rank), "ncclCommInitRank");
}

NcclCommunicator::~NcclCommunicator() {
  if (std::uncaught_exceptions() > exceptions_) abort();
  if (!aborted_) nccl_.ncclCommDestroy(comm_);
}

void NcclCommunicator::check(ncclResult_t result, const char* call) const { check_result(nccl_, result, call, comm_); }

// What was aborted is gone.
void NcclCommunicator::prepare() const {
  if (aborted_) fail("NCCL's operations were aborted, because a worker was lost");
  context_->make_current();
}

void NcclCommunicator::all_reduce(float* values, size_t count) {
  prepare();
  check(nccl_.ncclAllReduce(values, values, count, ncclFloat32, ncclSum, comm_, side_.stream()), "ncclAllReduce");
}

void NcclCommunicator::broadcast(float* values, size_t count, int from_rank) {
  prepare();
  check(nccl_.ncclBroadcast(values, values, count, ncclFloat32, from_rank, comm_, side_.stream()), "ncclBroadcast");
}

void NcclCommunicator::begin_group() { check(nccl_.ncclGroupStart(), "ncclGroupStart"); }

void NcclCommunicator::end_group() { check(nccl_.ncclGroupEnd(), "ncclGroupEnd"); }

void NcclCommunicator::abort() noexcept {
  if (!aborted_.exchange(true)) nccl_.ncclCommAbort(comm_);
}

}  // namespace verbund::cuda
