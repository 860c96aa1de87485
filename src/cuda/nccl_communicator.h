// SPDX-License-Identifier: Apache-2.0
// NcclCommunicator runs collectives between the GPUs of all ranks by NCCL, on a stream beside the one that computes.
#pragma once

#include <atomic>
#include <mutex>

#include "cuda/side_stream.h"

namespace verbund::cuda {

// The id that rank 0 sends to the others before they connect.
std::string new_nccl_id(const Nccl& nccl);

class NcclCommunicator final : public DeviceCommunicator {
 public:
  // Collective: every rank must call it; waits for all.
  NcclCommunicator(std::shared_ptr<Context> context, const Nccl& nccl, const std::string& id, int rank, int size);
  // After a failure it does not wait for the other ranks, which may never finish.
  ~NcclCommunicator() override;

  SideStream& stream() override { return side_; }
  void all_reduce(float* values, size_t count) override;
  void broadcast(float* values, size_t count, int from_rank) override;
  void all_gather(float* values, size_t count_of_each) override;
  void group(const std::function<void()>& calls) override;
  void wait() override;
  void abort() noexcept override;

 private:
  using Lock = std::unique_lock<std::recursive_timed_mutex>;

  Lock use();  // the communicator exists as long as the lock is held
  void check(ncclResult_t result, const char* call) const;
  std::string find_trouble();  // NCCL's error of any call so far; "": none
  void fail_if_in_trouble();
  void fail_with_message_of_nccl();

  std::shared_ptr<Context> context_;
  const Nccl nccl_;
  const int rank_;
  CudaSideStream side_;
  // Guards comm_, which an abort destroys. Recursive: calls within a group.
  std::recursive_timed_mutex mutex_;
  ncclComm_t comm_ = nullptr;
  std::atomic<bool> aborted_ = false, failed_ = false;
  int exceptions_;  // in flight when it was made
};

}  // namespace verbund::cuda
