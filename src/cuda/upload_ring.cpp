#include "cuda/upload_ring.h"

#include <algorithm>
#include <cstring>

namespace verbund::cuda {

UploadRing::UploadRing(Context& context, CUstream stream) : context_(context), stream_(stream) {}

UploadRing::~UploadRing() {
  for (const CUevent event : left_) {
    if (event != nullptr) context_.driver().cuEventDestroy_v2(event);
  }
  if (memory_ != nullptr) context_.driver().cuMemFreeHost(memory_);
}

void UploadRing::next_section() {
  const Driver& driver = context_.driver();
  context_.check(driver.cuEventRecord(left_[section_], stream_), "cuEventRecord");
  section_ = (section_ + 1) % kSections;
  used_ = 0;
  context_.check(driver.cuEventSynchronize(left_[section_]), "cuEventSynchronize");  // never recorded: at once
}

void UploadRing::upload(CUdeviceptr to, const void* host, size_t bytes) {
  const Driver& driver = context_.driver();
  if (memory_ == nullptr) {
    void* memory = nullptr;
    context_.check(driver.cuMemHostAlloc(&memory, kSections * kSectionBytes, 0), "cuMemHostAlloc");
    memory_ = static_cast<char*>(memory);
    for (CUevent& event : left_) {
      context_.check(driver.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING), "cuEventCreate");
    }
  }
  const char* from = static_cast<const char*>(host);
  while (bytes > 0) {
    if (used_ == kSectionBytes || (bytes <= kSectionBytes / 4 && used_ + bytes > kSectionBytes)) next_section();
    const size_t piece = std::min(bytes, kSectionBytes - used_);
    char* staged = memory_ + section_ * kSectionBytes + used_;
    std::memcpy(staged, from, piece);
    context_.check(driver.cuMemcpyHtoDAsync_v2(to, staged, piece, stream_), "cuMemcpyHtoDAsync");
    used_ = std::min(kSectionBytes, used_ + (piece + 63) / 64 * 64);
    to += piece;
    from += piece;
    bytes -= piece;
  }
}

}  // namespace verbund::cuda
