// SPDX-License-Identifier: Apache-2.0
#include "cuda/cuda_device.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/error.h"
#include "core/human.h"
#include "cuda/libraries.h"
#include "cuda/nccl_communicator.h"
#include "cuda/side_stream.h"

namespace verbund::cuda {
namespace {

FloatType compute_dtype_of(Precision precision) {
  switch (precision) {
    case Precision::kFp32:
    case Precision::kTf32:
      return FloatType::kFp32;
    case Precision::kBf16:
      return FloatType::kBf16;
    case Precision::kFp16:
      return FloatType::kFp16;
  }
  return FloatType::kFp32;
}

}  // namespace

std::string trouble_with(Precision precision, int architecture) {
  if (architecture >= 80 || precision == Precision::kFp32 || precision == Precision::kFp16) return "";
  return fmt::format("{} needs a GPU of sm_80 or newer, but this one is sm_{}: use fp16",
                     kPrecisionNames[static_cast<size_t>(precision)], architecture);
}

CudaDevice::CudaDevice(std::shared_ptr<const CudaLibraries> libraries, const CudaDeviceOptions& options)
    : Device(options.precision, compute_dtype_of(options.precision), false),
      libraries_(std::move(libraries)),
      cache_(options.cache),
      context_(std::make_shared<Context>(*libraries_, options.number)) {
  facts_.kind = options.kind;
  facts_.name = context_->name();
  facts_.number = options.number;
  facts_.uuid = context_->uuid();
  facts_.architecture = 10 * context_->attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                        context_->attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  facts_.memory = context_->total_memory();
  facts_.libraries = fmt::format("driver of CUDA {}, NVRTC {}, cuBLAS {}", libraries_->driver_state.version,
                                 libraries_->nvrtc_state.version, libraries_->cublas_state.version);
  facts_.description = fmt::format("GPU {}: {}, sm_{}, {}, {}; {}", facts_.number, facts_.name, facts_.architecture,
                                   human_bytes(facts_.memory), kPrecisionNames[static_cast<size_t>(options.precision)],
                                   facts_.libraries);
  if (const std::string trouble = trouble_with(options.precision, facts_.architecture); !trouble.empty()) {
    fail_usage("precision {}", trouble);
  }
  compute_kernels_ = std::make_unique<Module>(*context_, *libraries_, static_cast<int>(compute_dtype()), cache_);
  context_->check(context_->driver().cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  ring_ = std::make_unique<StagingRing>(*context_, stream_);
  gemm_ = std::make_unique<CublasGemm>(*context_, libraries_->cublas, stream_, options.precision);
}

CudaDevice::~CudaDevice() {
  const Driver& driver = context_->driver();
  context_->try_make_current();
  if (stream_ != nullptr) driver.cuStreamSynchronize(stream_);
  gemm_.reset();
  ring_.reset();
  for (const auto& [address, bytes] : allocated_) driver.cuMemFree_v2(address);
  compute_kernels_.reset();
  float_kernels_.reset();
  if (stream_ != nullptr) driver.cuStreamDestroy_v2(stream_);
}

void* CudaDevice::allocate(size_t bytes, const char* purpose) {
  if (bytes == 0) return nullptr;
  context_->make_current();
  CUdeviceptr address = 0;
  const CUresult result = context_->driver().cuMemAlloc_v2(&address, bytes);
  if (result == CUDA_ERROR_OUT_OF_MEMORY) {
    const MemoryUse use = memory();
    throw OutOfMemory(
        fmt::format("GPU {}, {}, has no {} for {}: {} of its {} are free, {} are taken by this program; {}",
                    facts_.number, facts_.name, human_bytes(bytes), purpose, human_bytes(use.free),
                    human_bytes(use.total), human_bytes(use.taken), memory_advice(purpose)));
  }
  context_->check(result, "cuMemAlloc");
  allocated_.emplace(address, bytes);
  taken_ += bytes;
  void* memory = reinterpret_cast<void*>(address);  // NOLINT: addresses of devices are numbers to the driver
  zero(memory, bytes);
  return memory;
}

void CudaDevice::release(void* memory, size_t) noexcept {
  const auto found = allocated_.find(address_of(memory));
  if (found == allocated_.end()) return;
  const Driver& driver = context_->driver();
  context_->try_make_current();
  // Operations on the stream may still be using it.
  driver.cuStreamSynchronize(stream_);
  driver.cuMemFree_v2(found->first);
  taken_ -= found->second;
  allocated_.erase(found);
}

void* CudaDevice::allocate_host(size_t bytes) {
  if (bytes == 0) return nullptr;
  context_->make_current();
  void* memory = nullptr;
  const CUresult result = context_->driver().cuMemHostAlloc(&memory, bytes, kHostAllocPortable);
  if (result == CUDA_ERROR_OUT_OF_MEMORY) {
    fail("the host has no {} of memory that can be pinned for copies to and from GPU {}", human_bytes(bytes),
         facts_.number);
  }
  context_->check(result, "cuMemHostAlloc");
  return memory;
}

void CudaDevice::release_host(void* memory, size_t) noexcept {
  if (memory == nullptr) return;
  context_->try_make_current();
  context_->driver().cuStreamSynchronize(stream_);
  context_->driver().cuMemFreeHost(memory);
}

MemoryUse CudaDevice::memory() {
  context_->make_current();
  size_t free = 0, total = 0;
  context_->check(context_->driver().cuMemGetInfo_v2(&free, &total), "cuMemGetInfo");
  return {free, total, taken_};
}

void CudaDevice::upload(void* to, const void* host, size_t bytes) {
  if (bytes == 0) return;
  context_->make_current();
  ring_->upload(address_of(to), host, bytes);
}

void CudaDevice::download(void* host, const void* from, size_t bytes) {
  if (bytes == 0) return;
  context_->make_current();
  ring_->download(host, address_of(from), bytes);
}

void CudaDevice::copy(void* to, const void* from, size_t bytes) {
  if (bytes == 0) return;
  context_->make_current();
  context_->check(context_->driver().cuMemcpyDtoDAsync_v2(address_of(to), address_of(from), bytes, stream_),
                  "cuMemcpyDtoDAsync");
}

void CudaDevice::zero(void* memory, size_t bytes) {
  if (bytes == 0) return;
  context_->make_current();
  context_->check(context_->driver().cuMemsetD8Async(address_of(memory), 0, bytes, stream_), "cuMemsetD8Async");
}

void CudaDevice::synchronize() {
  context_->make_current();
  context_->check(context_->driver().cuStreamSynchronize(stream_), "cuStreamSynchronize");
}

std::unique_ptr<DeviceEvent> CudaDevice::mark() { return std::make_unique<CudaEvent>(context_, stream_); }

void CudaDevice::wait_for(DeviceEvent& event) { as_cuda(event).hold(stream_); }

std::unique_ptr<SideStream> CudaDevice::make_side_stream() { return std::make_unique<CudaSideStream>(context_); }

std::string CudaDevice::trouble_with_communicator() const { return missing_nccl_message(*libraries_, facts_.kind); }

std::string CudaDevice::new_communicator_id() { return new_nccl_id(*libraries_->nccl); }

std::unique_ptr<DeviceCommunicator> CudaDevice::connect(const std::string& id, int rank, int size) {
  return std::make_unique<NcclCommunicator>(context_, *libraries_->nccl, id, rank, size);
}

void CudaDevice::multiply(const Gemm& gemm) {
  context_->make_current();
  gemm_->multiply(gemm);
}

Module& CudaDevice::kernels_for(FloatType type) {
  if (type == compute_dtype()) return *compute_kernels_;
  if (type != FloatType::kFp32) fail("the array has another 16-bit type than the compute dtype of this device");
  context_->make_current();
  if (float_kernels_ == nullptr) float_kernels_ = std::make_unique<Module>(*context_, *libraries_, 0, cache_);
  return *float_kernels_;
}

void CudaDevice::launch_bytes(Module& module, Kernel kernel, Grid grid, unsigned threads, void* arguments) {
  if (grid.x == 0 || grid.y == 0) return;
  const char* name = kKernelNames[static_cast<size_t>(kernel)];
  if (grid.x > static_cast<uint64_t>(std::numeric_limits<int32_t>::max())) {
    fail("{} would need {} blocks of threads, more than a GPU can start at once: use smaller batches", name, grid.x);
  }
  context_->make_current();
  context_->launched(name);
  context_->check(context_->driver().cuLaunchKernel(module.function(kernel), static_cast<unsigned>(grid.x),
                                                    static_cast<unsigned>(grid.y), 1, threads, 1, 1, 0, stream_,
                                                    &arguments, nullptr),
                  "cuLaunchKernel");
}

void* CudaDevice::scratch(size_t bytes) {
  if (bytes > scratch_bytes_) {
    if (scratch_ != nullptr) release(scratch_, scratch_bytes_);
    scratch_ = nullptr;
    scratch_bytes_ = 0;
    const size_t larger = std::max(bytes + bytes / 2, size_t{64} << 10);
    scratch_ = allocate(larger, "intermediate results of operations");
    scratch_bytes_ = larger;
  }
  return scratch_;
}

}  // namespace verbund::cuda
