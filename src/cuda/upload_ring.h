// Pinned memory through which host memory of any kind goes to a GPU: the caller may change what it gave at once, and
// the copy happens when its turn comes.
#pragma once

#include <array>
#include <cstddef>

#include "cuda/context.h"

namespace verbund::cuda {

class UploadRing {
 public:
  UploadRing(Context& context, CUstream stream);
  ~UploadRing();
  UploadRing(const UploadRing&) = delete;
  UploadRing& operator=(const UploadRing&) = delete;

  void upload(CUdeviceptr to, const void* host, size_t bytes);

 private:
  // The ring is cut into sections. What is left of one too small for the next piece stays unused; a section is used
  // again when the copies out of it have happened.
  static constexpr size_t kSections = 8, kSectionBytes = 2 << 20;
  void next_section();

  Context& context_;
  CUstream stream_;
  char* memory_ = nullptr;  // when it is needed first
  std::array<CUevent, kSections> left_ = {};
  size_t section_ = 0, used_ = 0;
};

}  // namespace verbund::cuda
