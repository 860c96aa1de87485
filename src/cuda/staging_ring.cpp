// SPDX-License-Identifier: Apache-2.0
#include "cuda/staging_ring.h"

#include <algorithm>
#include <cstring>

namespace verbund::cuda {

StagingRing::StagingRing(Context& context, CUstream stream) : context_(context), stream_(stream) {}

StagingRing::~StagingRing() {
  for (const CUevent event : left_) {
    if (event != nullptr) context_.driver().cuEventDestroy_v2(event);
  }
  if (memory_ != nullptr) context_.driver().cuMemFreeHost(memory_);
}

void StagingRing::next_section() {
  const Driver& driver = context_.driver();
  context_.check(driver.cuEventRecord(left_[section_], stream_), "cuEventRecord");
  section_ = (section_ + 1) % kSections;
  used_ = 0;
  context_.check(driver.cuEventSynchronize(left_[section_]), "cuEventSynchronize");  // never recorded: at once
}

void StagingRing::need_memory() {
  if (memory_ != nullptr) return;
  const Driver& driver = context_.driver();
  void* memory = nullptr;
  context_.check(driver.cuMemHostAlloc(&memory, kSections * kSectionBytes, 0), "cuMemHostAlloc");
  memory_ = static_cast<char*>(memory);
  for (CUevent& event : left_) {
    context_.check(driver.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING), "cuEventCreate");
  }
}

void StagingRing::upload(CUdeviceptr to, const void* host, size_t bytes) {
  need_memory();
  const Driver& driver = context_.driver();
  const char* from = static_cast<const char*>(host);
  while (bytes > 0) {
    if (used_ == kSectionBytes || (bytes <= kSectionBytes / 4 && used_ + bytes > kSectionBytes)) next_section();
    const size_t part = std::min(bytes, kSectionBytes - used_);
    char* staged = memory_ + section_ * kSectionBytes + used_;
    std::memcpy(staged, from, part);
    context_.check(driver.cuMemcpyHtoDAsync_v2(to, staged, part, stream_), "cuMemcpyHtoDAsync");
    used_ = std::min(kSectionBytes, used_ + (part + 63) / 64 * 64);
    to += part;
    from += part;
    bytes -= part;
  }
}

// The bus fills the sections while the host empties them, each one round later. Uploads through a section are over by
// then, in the stream's order; at the end all sections are free.
void StagingRing::download(void* host, CUdeviceptr from, size_t bytes) {
  need_memory();
  const Driver& driver = context_.driver();
  const size_t parts = (bytes + kSectionBytes - 1) / kSectionBytes;
  const auto size_of = [&](size_t part) { return std::min(kSectionBytes, bytes - part * kSectionBytes); };
  const auto staged = [&](size_t part) { return memory_ + part % kSections * kSectionBytes; };
  const auto take = [&](size_t part) {
    context_.check(driver.cuEventSynchronize(left_[part % kSections]), "cuEventSynchronize");
    std::memcpy(static_cast<char*>(host) + part * kSectionBytes, staged(part), size_of(part));
  };
  for (size_t part = 0; part < parts; ++part) {
    if (part >= kSections) take(part - kSections);
    context_.check(driver.cuMemcpyDtoHAsync_v2(staged(part), from + part * kSectionBytes, size_of(part), stream_),
                   "cuMemcpyDtoHAsync");
    context_.check(driver.cuEventRecord(left_[part % kSections], stream_), "cuEventRecord");
  }
  for (size_t part = parts - std::min(parts, kSections); part < parts; ++part) take(part);
  section_ = used_ = 0;
}

}  // namespace verbund::cuda
