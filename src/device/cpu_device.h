// The CPU as a device: its memory is the host's, its operations are done when they return.
#pragma once

#include "device/device.h"
#include "kernels/gemm.h"

namespace verbund {

class CpuDevice final : public Device {
 public:
  // With the best kernels that the machine has, or these. Precisions that a CPU does not have are refused.
  explicit CpuDevice(Precision precision = Precision::kFp32, const Kernels& kernels = choose_kernels());

  // Whether this machine's CPU has this one; "": it has, else why not.
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

  void multiply(const Gemm& product) override;
  void norm_forward(int64_t n, int64_t d, const NormForward& op, const DropoutKey& key, const TokenPosition* rows) override {
    kernels_.norm_forward(n, d, op, key, rows);
  }
  void norm_backward(int64_t n, int64_t d, const NormBackward& op, const DropoutKey& key, const TokenPosition* rows,
                     float* partial_sums) override {
    kernels_.norm_backward(n, d, op, key, rows, partial_sums);
  }
  void relu_forward(int64_t n, int64_t f, TypedFloats x, const float* bias, const DropoutKey& key,
                    const TokenPosition* rows) override {
    kernels_.relu_forward(n, f, x, bias, key, rows);
  }
  void relu_backward(int64_t n, int64_t f, ConstTypedFloats output, TypedFloats gradient, float scale,
                     float* bias_gradient, float* partial_sums) override {
    kernels_.relu_backward(n, f, output, gradient, scale, bias_gradient, partial_sums);
  }
  void embed_forward(int64_t n, int64_t d, const int32_t* ids, const float* table, float factor, const float* positions,
                     float* out, const DropoutKey& key, const TokenPosition* rows) override {
    kernels_.embed_forward(n, d, ids, table, factor, positions, out, key, rows);
  }
  bool needs_token_order() const override { return false; }
  void embed_backward(int64_t n, int64_t d, const int32_t* ids, const TokenOrder&, const float* gradient, float factor,
                      float* table_gradient, const DropoutKey& key, const TokenPosition* rows) override {
    kernels_.embed_backward(n, d, ids, gradient, factor, table_gradient, key, rows);
  }
  void attention_forward(const AttentionShape& shape, const AttentionForward& op, const DropoutKey& key) override {
    kernels_.attention_forward(shape, op, key);
  }
  void attention_backward(const AttentionShape& shape, const AttentionBackward& op, const DropoutKey& key) override {
    kernels_.attention_backward(shape, op, key);
  }
  void loss(const LossRows& op) override { kernels_.loss(op); }
  void sum_losses(int64_t rows, const double* smoothed, const double* plain, const int32_t* best,
                  const int32_t* targets, LossSums* sums) override;
  void add_bias(int64_t n, int64_t d, TypedFloats x, int64_t stride, const float* bias) override {
    kernels_.add_bias(n, d, x, stride, bias);
  }
  void column_sums(int64_t n, int64_t d, ConstTypedFloats x, float* sums, float* partial_sums) override {
    kernels_.column_sums(n, d, x, sums, partial_sums);
  }
  void step_attention(const StepAttention& op) override { kernels_.step_attention(op); }
  void best_tokens(const BestTokens& op) override { kernels_.best_tokens(op); }
  void add_probabilities(int64_t rows, int64_t vocabulary, const float* logits, const float* log_partition, float share,
                         float* probabilities) override;
  void take_logarithm(int64_t count, float* values) override;

  void round(size_t count, const float* values, TypedFloats factors) override;
  void adam(const AdamUpdate& update) override { update_adam(update); }
  void sgd(const SgdUpdate& update) override { update_sgd(update); }
  void average(const AverageUpdate& update) override { update_average(update); }
  void swap(float* a, float* b, size_t count) override;
  Magnitude measure(const float* values, std::span<const Interval> pieces) override {
    return measure_magnitude(values, pieces);
  }

  // Every product from now on is added to `log` (null: no more), for benchmarks that time the products alone.
  void log_gemms(std::vector<Gemm>* log) { log_ = log; }

 private:
  const Kernels& kernels_;
  DeviceFacts facts_;
  std::vector<Gemm>* log_ = nullptr;
};

}  // namespace verbund
