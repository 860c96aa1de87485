// SPDX-License-Identifier: Apache-2.0
// StagingRing is pinned memory through which any host memory is copied to and from a GPU at the bus's full rate. The
// caller may change uploaded data at once, while the copy runs in the stream's order; a download waits.
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
  // The ring is cut into sections. A rest too small for the next part stays unused; a section is reused when the
  // copies out of it have finished.
  static constexpr size_t kSections = 8, kSectionBytes = 2 << 20;
  void need_memory();
  void next_section();

  Context& context_;
  CUstream stream_;
  char* memory_ = nullptr;  // allocated at first use
  std::array<CUevent, kSections> left_ = {};
  size_t section_ = 0, used_ = 0;
};

}  // namespace verbund::cuda
