// SPDX-License-Identifier: Apache-2.0
#include "device/cpu_device.h"

#include <sys/mman.h>

#include <chrono>
#include <cstring>

#include "core/error.h"
#include "core/human.h"
#include "core/machine.h"
#include "core/process.h"

namespace verbund {
namespace {

// CpuEvent is over as soon as it is made.
class CpuEvent final : public DeviceEvent {
 public:
  void wait() override {}
  double seconds_after(DeviceEvent& earlier) override {
    return std::chrono::duration<double>(time_ - dynamic_cast<CpuEvent&>(earlier).time_).count();
  }

 private:
  std::chrono::steady_clock::time_point time_ = std::chrono::steady_clock::now();
};

class CpuSideStream final : public SideStream {
 public:
  void wait_for(DeviceEvent&) override {}
  void download(void* host, const void* from, size_t bytes) override { std::memcpy(host, from, bytes); }
  void upload(void* to, const void* host, size_t bytes) override { std::memcpy(to, host, bytes); }
  void synchronize() override {}
  std::unique_ptr<DeviceEvent> mark() override { return std::make_unique<CpuEvent>(); }
};

}  // namespace

std::string CpuDevice::trouble_with(Precision precision) {
  switch (precision) {
    case Precision::kFp32:
      return "";
    case Precision::kBf16:
      return has_bf16_gemm() ? "" : "bf16 needs a processor with AVX512-BF16, which this one lacks: use fp32";
    case Precision::kTf32:
    case Precision::kFp16:
      return fmt::format("{} needs a GPU; a CPU has fp32, and some have bf16",
                         kPrecisionNames[static_cast<size_t>(precision)]);
  }
  return "";
}

CpuDevice::CpuDevice(Precision precision, const Kernels& kernels)
    : Device(precision, FloatType::kFp32, true), kernels_(kernels) {
  if (const std::string trouble = trouble_with(precision); !trouble.empty()) fail_usage("precision {}", trouble);
  facts_.kind = "cpu";
  facts_.name = kernels.name;
  facts_.description = fmt::format("{} kernels in {}", kernels.name, kPrecisionNames[static_cast<size_t>(precision)]);
}

void* CpuDevice::allocate(size_t bytes, const char* purpose) {
  if (bytes == 0) return nullptr;
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    fail("there is no memory for {} of {}: {}", human_bytes(bytes), purpose, memory_advice(purpose));
  }
  ::madvise(memory, bytes, MADV_HUGEPAGE);  // without huge pages everything works, a little slower
  return memory;
}

void CpuDevice::release(void* memory, size_t bytes) noexcept {
  if (memory != nullptr) ::munmap(memory, bytes);
}

MemoryUse CpuDevice::memory() { return {free_memory(), this_machine().memory_bytes, 0}; }

void CpuDevice::copy(void* to, const void* from, size_t bytes) {
  if (bytes > 0) std::memcpy(to, from, bytes);
}

void CpuDevice::zero(void* memory, size_t bytes) {
  if (bytes > 0) std::memset(memory, 0, bytes);
}

std::unique_ptr<DeviceEvent> CpuDevice::mark() { return std::make_unique<CpuEvent>(); }

std::unique_ptr<SideStream> CpuDevice::make_side_stream() { return std::make_unique<CpuSideStream>(); }

void CpuDevice::multiply(const Gemm& gemm) {
  if (log_ != nullptr) log_->push_back(gemm);
  verbund::multiply(kernels_, gemm_operands(), gemm);
}

GemmOperands CpuDevice::gemm_operands() const {
  return precision() == Precision::kBf16 ? GemmOperands::kRoundedToBf16 : GemmOperands::kFloat;
}

size_t CpuDevice::packed_size(int64_t out, int64_t in) const {
  return static_cast<size_t>(verbund::packed_size(kernels_, gemm_operands(), out, in));
}

void CpuDevice::pack(const Gemm& gemm, float* to) { verbund::pack(kernels_, gemm_operands(), gemm, to); }

}  // namespace verbund
