// SPDX-License-Identifier: Apache-2.0
// CpuDevice is the CPU as a device: its memory is the host's, and its operations are done when they return.
#pragma once

#include "device/device.h"
#include "kernels/kernels.h"

namespace verbund {

class CpuDevice final : public Device {
 public:
  // Uses the best kernels for the machine, or these. Refuses precisions that a CPU does not have.
  explicit CpuDevice(Precision precision = Precision::kFp32, const Kernels& kernels = choose_kernels());

  // "" if this machine's CPU has this precision, else the reason why not.
  static std::string trouble_with(Precision precision);

  const DeviceFacts& facts() const override { return facts_; }

  void* allocate(size_t bytes, const char* purpose) override;
  void release(void* memory, size_t bytes) noexcept override;
  void* allocate_host(size_t bytes) override { return allocate(bytes, "copies"); }
  void release_host(void* memory, size_t bytes) noexcept override { release(memory, bytes); }
  MemoryUse memory() override;
  void upload(void* to, const void* host, size_t bytes) override { copy(to, host, bytes); }
  void download(void* host, const void* from, size_t bytes) override { copy(host, from, bytes); }
  void copy(void* to, const void* from, size_t bytes) override;
  void zero(void* memory, size_t bytes) override;
  void synchronize() override {}
  std::unique_ptr<DeviceEvent> mark() override;
  void wait_for(DeviceEvent&) override {}
  std::unique_ptr<SideStream> make_side_stream() override;

  void multiply(const Gemm& gemm) override;
  size_t packed_size(int64_t out, int64_t in) const override;
  void pack(const Gemm& gemm, float* to) override;
#define VERBUND_SIMD(operation, Arguments) \
  void operation(const Arguments& op) override { kernels_.operation(op); }
#define VERBUND_PORTABLE(operation, Arguments) \
  void operation(const Arguments& op) override { portable::operation(op); }
  VERBUND_SIMD_OPERATIONS(VERBUND_SIMD)
  VERBUND_PORTABLE_OPERATIONS(VERBUND_PORTABLE)
#undef VERBUND_SIMD
#undef VERBUND_PORTABLE
  bool needs_token_order() const override { return false; }
  Magnitude measure(const float* values, std::span<const Interval> intervals) override {
    return portable::measure(values, intervals);
  }

  // Every GEMM from now on is added to `log` (null: no more), for benchmarks that time the GEMMs alone.
  void log_gemms(std::vector<Gemm>* log) { log_ = log; }

 private:
  GemmOperands gemm_operands() const;

  const Kernels& kernels_;
  DeviceFacts facts_;
  std::vector<Gemm>* log_ = nullptr;
};

}  // namespace verbund
