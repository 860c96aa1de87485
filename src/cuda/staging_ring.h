// Pinned memory through which host memory of any kind goes to a GPU and comes from it, at the bus's full rate. What is
// uploaded may be changed by the caller at once, and the copy happens when its turn comes; who downloads waits.
#pragma once

#include <array>
#include <cstddef>

#include "cuda/context.h"

namespace verbund::cuda {

class StagingRing {
 public:
  StagingRing(Context& context, CUstream stream);
  ~StagingRing();
  StagingRing(const StagingRing&) = delete;
  StagingRing& operator=(const StagingRing&) = delete;

  void upload(CUdeviceptr to, const void* host, size_t bytes);
  void download(void* host, CUdeviceptr from, size_t bytes);

 private:
  // The ring is cut into sections. What is left of one too small for the next piece stays unused; a section is used
  // again when the copies out of it have happened.
  static constexpr size_t kSections = 8, kSectionBytes = 2 << 20;
  void need_memory();
  void next_section();

  Context& context_;
  CUstream stream_;
  char* memory_ = nullptr;  // when it is needed first
  std::array<CUevent, kSections> left_ = {};
  size_t section_ = 0, used_ = 0;
};

}  // namespace verbund::cuda
