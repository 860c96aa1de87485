// SPDX-License-Identifier: Apache-2.0
// CudaDevice is an NVIDIA GPU as a Device: its memory, one stream of operations in the order of their calls, kernels
// compiled for it, and cuBLAS for GEMMs.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "cuda/context.h"
#include "cuda/gemm.h"
#include "cuda/module.h"
#include "cuda/staging_ring.h"
#include "device/device.h"

namespace verbund::cuda {

struct CudaDeviceOptions {
  std::string kind = "cuda";  // what the user calls it: "cuda" or "emulated"
  int number = 0;             // of the driver's GPUs
  Precision precision = Precision::kFp32;
  std::filesystem::path cache;  // a folder for compiled kernels; empty: none
};

// "" if GPUs of this architecture have this precision, else the reason why not and what to use instead.
std::string trouble_with(Precision precision, int architecture);

class CudaDevice final : public Device {
 public:
  // The libraries must be usable.
  CudaDevice(std::shared_ptr<const CudaLibraries> libraries, const CudaDeviceOptions& options);
  ~CudaDevice() override;

  const DeviceFacts& facts() const override { return facts_; }
  // For other users of this GPU, such as NCCL.
  const CudaLibraries& libraries() const { return *libraries_; }
  const std::shared_ptr<Context>& context() const { return context_; }
  CUstream stream() const { return stream_; }

  void* allocate(size_t bytes, const char* purpose) override;
  void release(void* memory, size_t bytes) noexcept override;
  void* allocate_host(size_t bytes) override;
  void release_host(void* memory, size_t bytes) noexcept override;
  MemoryUse memory() override;

  void upload(void* to, const void* host, size_t bytes) override;
  void download(void* host, const void* from, size_t bytes) override;
  void copy(void* to, const void* from, size_t bytes) override;
  void zero(void* memory, size_t bytes) override;
  void synchronize() override;

  std::unique_ptr<DeviceEvent> mark() override;
  void wait_for(DeviceEvent& event) override;
  std::unique_ptr<SideStream> make_side_stream() override;

  std::string trouble_with_communicator() const override;
  std::string new_communicator_id() override;
  std::unique_ptr<DeviceCommunicator> connect(const std::string& id, int rank, int size) override;

  void multiply(const Gemm& gemm) override;
  // See the files operations_*.cpp.
#define VERBUND_OPERATION(operation, Arguments) void operation(const Arguments& op) override;
  VERBUND_OPERATIONS(VERBUND_OPERATION)
#undef VERBUND_OPERATION
  bool needs_token_order() const override { return true; }
  Magnitude measure(const float* values, std::span<const Interval> intervals) override;

 private:
  struct Grid {
    uint64_t x;
    uint64_t y = 1;
  };
  // The kernels for arrays of this type: the compute dtype, or float.
  Module& kernels_for(FloatType type);
  template <typename Arguments>
  void launch(Module& module, Kernel kernel, Grid grid, unsigned threads, const Arguments& arguments) {
    launch_bytes(module, kernel, grid, threads, const_cast<Arguments*>(&arguments));  // the driver only reads
  }
  void launch_bytes(Module& module, Kernel kernel, Grid grid, unsigned threads, void* arguments);
  void add_partials(int64_t d, int arrays, const float* partial_sums, float* first, float* second = nullptr,
                    float* third = nullptr);
  // Scratch memory of one operation; the next one overwrites it.
  void* scratch(size_t bytes);

  std::shared_ptr<const CudaLibraries> libraries_;
  std::filesystem::path cache_;
  std::shared_ptr<Context> context_;
  DeviceFacts facts_;
  CUstream stream_ = nullptr;
  std::unique_ptr<Module> compute_kernels_, float_kernels_;  // the second only if the first are of another type
  std::unique_ptr<CublasGemm> gemm_;
  std::unique_ptr<StagingRing> ring_;
  std::map<CUdeviceptr, size_t> allocated_;
  uint64_t taken_ = 0;
  void* scratch_ = nullptr;
  size_t scratch_bytes_ = 0;
};

}  // namespace verbund::cuda
