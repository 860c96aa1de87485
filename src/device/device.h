// What computes: a CPU with one of its instruction sets, or a GPU. A device is memory, the operations of a training
// step on it, and the precision of its products. It is a value that is handed over; there may be several.
//
// Operations happen in the order in which they are asked for, perhaps later than the call returns: what they read and
// write must stay. Pointers in their arguments are the device's, which the host must not follow; upload and download
// carry data over. Of one thread only, where nothing else is said.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "config/device_config.h"
#include "device/facts.h"
#include "kernels/kernels.h"
#include "kernels/updates.h"

namespace verbund {

// A point in a device's order of operations. Any thread may wait for it.
class DeviceEvent {
 public:
  virtual ~DeviceEvent() = default;
  virtual void wait() = 0;  // until all that was asked for before it has happened
  // When both have happened: how much later than that one, by the device's clock.
  virtual double seconds_after(DeviceEvent& earlier) = 0;
};

// A second order of operations beside the main one: gradients that are final leave while others are still being made.
// Of one thread at a time.
class SideStream {
 public:
  virtual ~SideStream() = default;
  virtual void wait_for(DeviceEvent& moment) = 0;  // what is asked of it from now on comes after that
  virtual void download(void* host, const void* from, size_t bytes) = 0;
  virtual void upload(void* to, const void* host, size_t bytes) = 0;
  virtual void synchronize() = 0;              // the caller waits until all of it has happened
  virtual std::unique_ptr<DeviceEvent> mark() = 0;  // the point after what it has been asked so far
};

// What the devices of all workers do together without the hosts' help. On a side stream, in the same order everywhere.
class DeviceCommunicator {
 public:
  virtual ~DeviceCommunicator() = default;
  virtual SideStream& stream() = 0;
  virtual void all_reduce(float* values, size_t count) = 0;  // sums over all workers, everywhere
  virtual void broadcast(float* values, size_t count, int from_rank) = 0;
  // Of as many pieces in a row as there are workers, one of each by rank, everybody gets all.
  virtual void all_gather(float* values, size_t count_of_each) = 0;
  // What `calls` asks for happens as one operation.
  virtual void group(const std::function<void()>& calls) = 0;
  // The caller waits until all of it has happened. Throws if it has not: another worker's device may be gone, and what
  // is in memory then is no result. Other threads may go on asking.
  virtual void wait() = 0;
  virtual void abort() noexcept = 0;  // of any thread: whatever waits for others ends, and wait() fails
};

class Device {
 public:
  virtual ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  virtual const DeviceFacts& facts() const = 0;
  Precision precision() const { return precision_; }
  FloatType compute_dtype() const { return factor_type_; }  // of what only products read
  bool is_host() const { return is_host_; }               // its memory is the host's

  // Memory, zero at first.
  virtual void* allocate(size_t bytes, const char* purpose) = 0;
  virtual void release(void* memory, size_t bytes) noexcept = 0;
  // Host memory that copies to and from the device are fastest with.
  virtual void* allocate_host(size_t bytes) = 0;
  virtual void release_host(void* memory, size_t bytes) noexcept = 0;
  virtual MemoryUse memory() = 0;

  virtual void upload(void* to, const void* host, size_t bytes) = 0;      // `host` may be changed afterwards
  virtual void download(void* host, const void* from, size_t bytes) = 0;  // waits for what was asked for before
  virtual void copy(void* to, const void* from, size_t bytes) = 0;
  virtual void zero(void* memory, size_t bytes) = 0;
  virtual void synchronize() = 0;  // the caller waits until all that was asked for has happened

  virtual std::unique_ptr<DeviceEvent> mark() = 0;
  virtual void wait_for(DeviceEvent& moment) = 0;  // what is asked for from now on comes after that
  virtual std::unique_ptr<SideStream> make_side_stream() = 0;

  // Together with the devices of other workers: "" if it can, else why not; a name that worker 0 gives the meeting; and
  // the meeting, by all of them.
  virtual std::string trouble_with_communicator() const { return "a CPU's gradients are exchanged by the hosts"; }
  virtual std::string new_communicator_id() { return ""; }
  virtual std::unique_ptr<DeviceCommunicator> connect(const std::string& /*id*/, int /*rank*/, int /*size*/) {
    return nullptr;
  }

  // Operations: see kernels/kernels.h and kernels/updates.h for what each computes.
  virtual void multiply(const Gemm& product) = 0;
  virtual void norm_forward(int64_t n, int64_t d, const NormForward& op, const DropoutKey& key,
                            const TokenPosition* rows) = 0;
  virtual void norm_backward(int64_t n, int64_t d, const NormBackward& op, const DropoutKey& key, const TokenPosition* rows,
                             float* partial_sums) = 0;
  virtual void relu_forward(int64_t n, int64_t f, TypedFloats x, const float* bias, const DropoutKey& key,
                            const TokenPosition* rows) = 0;
  virtual void relu_backward(int64_t n, int64_t f, ConstTypedFloats output, TypedFloats gradient, float scale,
                             float* bias_gradient, float* partial_sums) = 0;
  virtual void embed_forward(int64_t n, int64_t d, const int32_t* ids, const float* table, float factor,
                             const float* positions, float* out, const DropoutKey& key, const TokenPosition* rows) = 0;
  virtual bool needs_token_order() const = 0;  // for embed_backward
  virtual void embed_backward(int64_t n, int64_t d, const int32_t* ids, const TokenOrder& order, const float* gradient,
                              float factor, float* table_gradient, const DropoutKey& key, const TokenPosition* rows) = 0;
  virtual void attention_forward(const AttentionShape& shape, const AttentionForward& op, const DropoutKey& key) = 0;
  virtual void attention_backward(const AttentionShape& shape, const AttentionBackward& op, const DropoutKey& key) = 0;
  virtual void loss(const LossRows& op) = 0;
  // `sums` is in the device's memory.
  virtual void sum_losses(int64_t rows, const double* smoothed, const double* plain, const int32_t* best,
                          const int32_t* targets, LossSums* sums) = 0;
  virtual void add_bias(int64_t n, int64_t d, TypedFloats x, int64_t stride, const float* bias) = 0;
  virtual void column_sums(int64_t n, int64_t d, ConstTypedFloats x, float* sums, float* partial_sums) = 0;
  virtual void step_attention(const StepAttention& op) = 0;
  virtual void best_tokens(const BestTokens& op) = 0;
  // probabilities += share * exp(logits - log_partition of the row); then the logarithm of all.
  virtual void add_probabilities(int64_t rows, int64_t vocabulary, const float* logits, const float* log_partition,
                                 float share, float* probabilities) = 0;
  virtual void take_logarithm(int64_t count, float* values) = 0;

  virtual void round(size_t count, const float* values, TypedFloats factors) = 0;
  virtual void adam(const AdamUpdate& update) = 0;
  virtual void sgd(const SgdUpdate& update) = 0;
  virtual void average(const AverageUpdate& update) = 0;
  virtual void swap(float* a, float* b, size_t count) = 0;
  virtual Magnitude measure(const float* values, std::span<const Interval> pieces) = 0;  // waits for the result

 protected:
  Device(Precision precision, FloatType compute_dtype, bool is_host)
      : precision_(precision), factor_type_(compute_dtype), is_host_(is_host) {}

 private:
  Precision precision_;
  FloatType factor_type_;
  bool is_host_;
};

}  // namespace verbund
