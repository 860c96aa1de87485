// The GPUs of all workers together, by NCCL: what is summed goes from GPU to GPU on a stream beside the one that
// computes.
#pragma once

#include <atomic>
#include <mutex>

#include "cuda/side_stream.h"

namespace verbund::cuda {

// What worker 0 tells the others to meet by.
std::string new_nccl_id(const Nccl& nccl);

class NcclCommunicator final : public DeviceCommunicator {
 public:
  // By all workers; waits for all.
  NcclCommunicator(std::shared_ptr<Context> context, const Nccl& nccl, const std::string& id, int rank, int size);
  // After a failure others may never come to the end: then it does not wait for them.
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

  Lock use();  // the communicator is there as long as it is held
  void check(ncclResult_t result, const char* call) const;
  std::string find_trouble();  // NCCL's, of all that was asked so far; "": none
  void fail_if_in_trouble();
  void fail_in_the_words_of_nccl();

  std::shared_ptr<Context> context_;
  const Nccl nccl_;
  const int rank_;
  CudaSideStream side_;
  // Of whoever uses comm_, which an abort takes away. Recursive: calls within a group.
  std::recursive_timed_mutex mutex_;
  ncclComm_t comm_ = nullptr;
  std::atomic<bool> aborted_ = false, failed_ = false;
  int exceptions_;  // under way when it was made
};

}  // namespace verbund::cuda
