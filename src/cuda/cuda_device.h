// An NVIDIA GPU as a Device: its memory, one stream of operations in the order they are asked for, kernels compiled for
// it, and cuBLAS for products.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "cuda/context.h"
#include "cuda/module.h"
#include "cuda/gemm.h"
#include "cuda/staging_ring.h"
#include "device/device.h"

namespace verbund::cuda {

struct CudaDeviceOptions {
  std::string kind = "cuda";  // what the user calls it: "cuda" or "emulated"
  int number = 0;             // of the driver's GPUs
  Precision precision = Precision::kFp32;
  std::filesystem::path cache;  // a folder for compiled kernels; empty: none
};

// "" if GPUs of this architecture have it, else why not and what to take instead.
std::string trouble_with(Precision precision, int architecture);

class CudaDevice final : public Device {
 public:
  // The libraries must be usable.
  CudaDevice(std::shared_ptr<const CudaLibraries> libraries, const CudaDeviceOptions& options);
  ~CudaDevice() override;

  const DeviceFacts& facts() const override { return facts_; }
  // For what else works on this GPU, such as NCCL.
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
  void wait_for(DeviceEvent& moment) override;
  std::unique_ptr<SideStream> make_side_stream() override;

  std::string trouble_with_communicator() const override;
  std::string new_communicator_id() override;
  std::unique_ptr<DeviceCommunicator> connect(const std::string& id, int rank, int size) override;

  void multiply(const Gemm& product) override;
  // operations_rows.cpp
  void norm_forward(int64_t n, int64_t d, const NormForward& op, const DropoutKey& key, const TokenPosition* rows) override;
  void norm_backward(int64_t n, int64_t d, const NormBackward& op, const DropoutKey& key, const TokenPosition* rows,
                     float* partial_sums) override;
  void relu_forward(int64_t n, int64_t f, TypedFloats x, const float* bias, const DropoutKey& key,
                    const TokenPosition* rows) override;
  void relu_backward(int64_t n, int64_t f, ConstTypedFloats output, TypedFloats gradient, float scale,
                     float* bias_gradient, float* partial_sums) override;
  void embed_forward(int64_t n, int64_t d, const int32_t* ids, const float* table, float factor, const float* positions,
                     float* out, const DropoutKey& key, const TokenPosition* rows) override;
  bool needs_token_order() const override { return true; }
  void embed_backward(int64_t n, int64_t d, const int32_t* ids, const TokenOrder& order, const float* gradient,
                      float factor, float* table_gradient, const DropoutKey& key, const TokenPosition* rows) override;
  void add_bias(int64_t n, int64_t d, TypedFloats x, int64_t stride, const float* bias) override;
  void column_sums(int64_t n, int64_t d, ConstTypedFloats x, float* sums, float* partial_sums) override;
  // operations_attention.cpp
  void attention_forward(const AttentionShape& shape, const AttentionForward& op, const DropoutKey& key) override;
  void attention_backward(const AttentionShape& shape, const AttentionBackward& op, const DropoutKey& key) override;
  void step_attention(const StepAttention& op) override;
  // operations_tokens.cpp
  void loss(const LossRows& op) override;
  void sum_losses(int64_t rows, const double* smoothed, const double* plain, const int32_t* best,
                  const int32_t* targets, LossSums* sums) override;
  void best_tokens(const BestTokens& op) override;
  void add_probabilities(int64_t rows, int64_t vocabulary, const float* logits, const float* log_partition, float share,
                         float* probabilities) override;
  void take_logarithm(int64_t count, float* values) override;
  // operations_updates.cpp
  void round(size_t count, const float* values, TypedFloats factors) override;
  void adam(const AdamUpdate& update) override;
  void sgd(const SgdUpdate& update) override;
  void average(const AverageUpdate& update) override;
  void swap(float* a, float* b, size_t count) override;
  Magnitude measure(const float* values, std::span<const Interval> pieces) override;

 private:
  struct Grid {
    uint64_t x;
    uint64_t y = 1;
  };
  // The kernels for arrays of this type: of factors, or of floats.
  Module& kernels_for(FloatType type);
  template <typename Arguments>
  void launch(Module& module, Kernel kernel, Grid grid, unsigned threads, const Arguments& arguments) {
    launch_bytes(module, kernel, grid, threads, const_cast<Arguments*>(&arguments));  // the driver only reads
  }
  void launch_bytes(Module& module, Kernel kernel, Grid grid, unsigned threads, void* arguments);
  void add_partials(int64_t d, int arrays, const float* partial_sums, float* first, float* second = nullptr,
                    float* third = nullptr);
  // Memory for an operation's own use, until the next one's.
  void* scratch(size_t bytes);

  std::shared_ptr<const CudaLibraries> libraries_;
  std::filesystem::path cache_;
  std::shared_ptr<Context> context_;
  DeviceFacts facts_;
  CUstream stream_ = nullptr;
  std::unique_ptr<Module> factor_kernels_, float_kernels_;  // the second if the first is of another type, when needed
  std::unique_ptr<GemmRunner> products_;
  std::unique_ptr<StagingRing> ring_;
  std::map<CUdeviceptr, size_t> allocated_;
  uint64_t taken_ = 0;
  void* scratch_ = nullptr;
  size_t scratch_bytes_ = 0;
};

}  // namespace verbund::cuda
