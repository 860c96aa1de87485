// The GPUs of all workers together, by NCCL: what is summed goes from GPU to GPU on a stream beside the one that
// computes.
#pragma once

#include <atomic>

#include "cuda/side_stream.h"

namespace verbund::cuda {

// What worker 0 tells the others to meet by.
std::string new_nccl_id(const Nccl& nccl);

class NcclCommunicator final : public DeviceCommunicator {
 public:
  // By all workers; waits for all. The table must outlive it.
  NcclCommunicator(std::shared_ptr<Context> context, const Nccl& nccl, const std::string& id, int rank, int size);
  // After a failure others may never come to the end: then it does not wait for them.
  ~NcclCommunicator() override;

  SideStream& stream() override { return side_; }
  void all_reduce(float* values, size_t count) override;
  void broadcast(float* values, size_t count, int from_rank) override;
  void begin_group() override;
  void end_group() override;
  void abort() noexcept override;

 private:
  void prepare() const;
  void check(ncclResult_t result, const char* call) const;

  std::shared_ptr<Context> context_;
  const Nccl& nccl_;
  CudaSideStream side_;
  ncclComm_t comm_ = nullptr;
  std::atomic<bool> aborted_ = false;
  int exceptions_;  // under way when it was made
};

}  // namespace verbund::cuda
