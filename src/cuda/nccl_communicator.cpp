// SPDX-License-Identifier: Apache-2.0
#include "cuda/nccl_communicator.h"

#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <exception>
#include <optional>
#include <thread>
#include <utility>

#include "core/error.h"

namespace verbund::cuda {
namespace {

constexpr std::chrono::microseconds kPoll{50};
constexpr int kMessagePolls = 2000;  // a tenth of a second
constexpr std::chrono::seconds kPatience{1};
// The watchdog names the missing rank and ends this process: NCCL does not know which rank it is.
constexpr std::chrono::seconds kWatchdogTime{1};
constexpr const char* kAborted =
    "NCCL: the exchange between the GPUs was aborted, because a worker has failed or is lost";

std::string message_of(const Nccl& nccl, ncclResult_t result, const char* call, ncclComm_t comm) {
  const char* details = nccl.ncclGetLastError(comm);
  return fmt::format("NCCL: {} failed: {}{}{}. NCCL_DEBUG=INFO tells more; workers.transport=mpi does not need it",
                     call, nccl.ncclGetErrorString(result), details != nullptr && *details != '\0' ? ", " : "",
                     details != nullptr ? details : "");
}

void check_result(const Nccl& nccl, ncclResult_t result, const char* call, ncclComm_t comm) {
  if (result != ncclSuccess) fail("{}", message_of(nccl, result, call, comm));
}

}  // namespace

std::string new_nccl_id(const Nccl& nccl) {
  ncclUniqueId id;
  check_result(nccl, nccl.ncclGetUniqueId(&id), "ncclGetUniqueId", nullptr);
  return {id.internal, sizeof(id.internal)};
}

NcclCommunicator::NcclCommunicator(std::shared_ptr<Context> context, const Nccl& nccl, const std::string& id, int rank,
                                   int size)
    : context_(std::move(context)), nccl_(nccl), rank_(rank), side_(context_), exceptions_(std::uncaught_exceptions()) {
  ncclUniqueId unique;
  if (id.size() != sizeof(unique.internal)) {
    fail("rank 0's NCCL id has {} bytes instead of {}", id.size(), sizeof(unique.internal));
  }
  std::memcpy(unique.internal, id.data(), id.size());
  context_->make_current();
  check(nccl_.ncclCommInitRank(&comm_, size, unique, rank), "ncclCommInitRank");
}

NcclCommunicator::~NcclCommunicator() {
  if (failed_ || std::uncaught_exceptions() > exceptions_) abort();
  if (!aborted_) nccl_.ncclCommDestroy(comm_);
}

void NcclCommunicator::check(ncclResult_t result, const char* call) const { check_result(nccl_, result, call, comm_); }

NcclCommunicator::Lock NcclCommunicator::use() {
  Lock lock(mutex_);
  if (aborted_) fail("{}", kAborted);
  context_->make_current();
  return lock;
}

void NcclCommunicator::all_reduce(float* values, size_t count) {
  const Lock lock = use();
  check(nccl_.ncclAllReduce(values, values, count, ncclFloat32, ncclSum, comm_, side_.stream()), "ncclAllReduce");
}

void NcclCommunicator::broadcast(float* values, size_t count, int from_rank) {
  const Lock lock = use();
  check(nccl_.ncclBroadcast(values, values, count, ncclFloat32, from_rank, comm_, side_.stream()), "ncclBroadcast");
}

void NcclCommunicator::all_gather(float* values, size_t count_of_each) {
  const Lock lock = use();
  const float* own = values + static_cast<size_t>(rank_) * count_of_each;
  check(nccl_.ncclAllGather(own, values, count_of_each, ncclFloat32, comm_, side_.stream()), "ncclAllGather");
}

// A group belongs to the thread: one that stays open would hold back all later calls.
void NcclCommunicator::group(const std::function<void()>& calls) {
  const Lock lock = use();
  check(nccl_.ncclGroupStart(), "ncclGroupStart");
  try {
    calls();
  } catch (...) {
    failed_ = true;  // other ranks have called more than this one
    nccl_.ncclGroupEnd();
    throw;
  }
  check(nccl_.ncclGroupEnd(), "ncclGroupEnd");
}

std::string NcclCommunicator::find_trouble() {
  const Lock lock(mutex_);
  if (aborted_) return kAborted;
  ncclResult_t found = ncclSuccess;
  const ncclResult_t asked = nccl_.ncclCommGetAsyncError(comm_, &found);
  if (asked != ncclSuccess) return message_of(nccl_, asked, "ncclCommGetAsyncError", comm_);
  if (found == ncclSuccess || found == ncclInProgress) return "";
  return message_of(nccl_, found, "an exchange between the GPUs", comm_);
}

void NcclCommunicator::fail_if_in_trouble() {
  const std::string trouble = find_trouble();
  if (trouble.empty()) return;
  failed_ = true;
  std::this_thread::sleep_for(kWatchdogTime);
  fail("{}", trouble);
}

// A stream may report an error a moment before NCCL reports the reason.
void NcclCommunicator::fail_with_message_of_nccl() {
  for (int i = 0; i < kMessagePolls; ++i) {
    fail_if_in_trouble();
    std::this_thread::sleep_for(kPoll);
  }
}

// Polls NCCL: the stream alone does not see a network on which its kernels wait for ever, and after an abort it ends
// without an error.
void NcclCommunicator::wait() {
  std::optional<CudaEvent> end;
  try {
    end.emplace(context_, side_.stream());
  } catch (const Error&) {  // the exchange has failed already
    fail_with_message_of_nccl();
    throw;
  }
  while (true) {
    const CUresult state = end->query();
    // After the query, so that an abort which ended the stream is seen; and before its error, since NCCL's is clearer.
    fail_if_in_trouble();
    if (state == CUDA_SUCCESS) return;
    if (state != CUDA_ERROR_NOT_READY) {
      fail_with_message_of_nccl();
      context_->check(state, "cuEventQuery");
    }
    std::this_thread::sleep_for(kPoll);
  }
}

// The flag first, for a waiting thread. A call in progress that waits for other ranks, perhaps for ever, must not lose
// the communicator meanwhile: then only the end of the process ends it.
void NcclCommunicator::abort() noexcept {
  if (aborted_.exchange(true)) return;
  const Lock lock(mutex_, kPatience);
  if (lock.owns_lock()) nccl_.ncclCommAbort(comm_);
}

}  // namespace verbund::cuda
