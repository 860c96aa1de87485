// SPDX-License-Identifier: Apache-2.0
// Device is a CPU with one of its instruction sets, or a GPU: its memory, the operations of a training step on it, and
// the precision of its GEMMs. A device is passed to what computes on it; a program may have several.
//
// Operations run in the order of their calls, perhaps after the call has returned: what they read and write must stay
// alive. Pointers in their arguments are the device's, and the host must not dereference them; upload and download copy
// data. A device is used by one thread only, unless stated otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/device_config.h"
#include "core/error.h"
#include "core/interval.h"
#include "kernels/operations.h"

namespace verbund {

// The properties of a device, for logs and records.
struct DeviceFacts {
  std::string kind;         // "cpu", "cuda" or "emulated"
  std::string name;         // "avx512", "Tesla V100-SXM2-16GB"
  int number = 0;           // of the GPU among those that the process sees
  std::string uuid;         // of a GPU, or of its part: the same whoever sees it
  int architecture = 0;     // of a GPU: 70 for sm_70
  uint64_t memory = 0;      // of a GPU, bytes
  std::string libraries;    // of a GPU: driver, NVRTC and cuBLAS with their versions
  std::string description;  // one line of all this, for people
};

struct MemoryUse {
  uint64_t free = 0, total = 0;
  uint64_t taken = 0;  // by this device's user
};

// OutOfMemory is thrown where a device has no room for an allocation; what was allocated before stays.
class OutOfMemory : public Error {
 public:
  using Error::Error;
};

// DeviceEvent is a point in a device's order of operations. Any thread may wait for it.
class DeviceEvent {
 public:
  virtual ~DeviceEvent() = default;
  virtual void wait() = 0;  // until everything before it has finished
  // When both have finished: the time between them by the device's clock.
  virtual double seconds_after(DeviceEvent& earlier) = 0;
};

// SideStream is a second order of operations beside the main one: gradients that are final are sent while others are
// still being computed. It is used by one thread at a time.
class SideStream {
 public:
  virtual ~SideStream() = default;
  virtual void wait_for(DeviceEvent& event) = 0;  // later calls run after the event
  virtual void download(void* host, const void* from, size_t bytes) = 0;
  virtual void upload(void* to, const void* host, size_t bytes) = 0;
  virtual void synchronize() = 0;                   // waits until all of it has finished
  virtual std::unique_ptr<DeviceEvent> mark() = 0;  // the point after all calls so far
};

// DeviceCommunicator runs collectives between the devices of all ranks without the hosts' help, on a side stream and in
// the same order on every rank.
class DeviceCommunicator {
 public:
  virtual ~DeviceCommunicator() = default;
  virtual SideStream& stream() = 0;
  virtual void all_reduce(float* values, size_t count) = 0;  // sums over all ranks, on every rank
  virtual void broadcast(float* values, size_t count, int from_rank) = 0;
  // `values` has one slice per rank in the order of ranks; every rank gets all slices.
  virtual void all_gather(float* values, size_t count_of_each) = 0;
  // The calls in `calls` run as one operation.
  virtual void group(const std::function<void()>& calls) = 0;
  // Waits until all of it has finished. Throws if it has not: another rank's device may be gone, and the memory then
  // holds no result. Other threads may continue to call.
  virtual void wait() = 0;
  virtual void abort() noexcept = 0;  // by any thread: whatever waits for other ranks ends, and wait() fails
};

class Device {
 public:
  virtual ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  virtual const DeviceFacts& facts() const = 0;
  Precision precision() const { return precision_; }
  FloatType compute_dtype() const { return compute_dtype_; }  // of what only GEMMs read
  bool is_host() const { return is_host_; }                   // its memory is the host's

  // Memory, zero at first.
  virtual void* allocate(size_t bytes, const char* purpose) = 0;
  virtual void release(void* memory, size_t bytes) noexcept = 0;
  // Host memory from and to which the device copies fastest.
  virtual void* allocate_host(size_t bytes) = 0;
  virtual void release_host(void* memory, size_t bytes) noexcept = 0;
  virtual MemoryUse memory() = 0;

  virtual void upload(void* to, const void* host, size_t bytes) = 0;      // `host` may be changed afterwards
  virtual void download(void* host, const void* from, size_t bytes) = 0;  // waits for all earlier operations
  virtual void copy(void* to, const void* from, size_t bytes) = 0;
  virtual void zero(void* memory, size_t bytes) = 0;
  virtual void synchronize() = 0;  // waits until all operations have finished

  virtual std::unique_ptr<DeviceEvent> mark() = 0;
  virtual void wait_for(DeviceEvent& event) = 0;  // later operations run after the event
  virtual std::unique_ptr<SideStream> make_side_stream() = 0;

  // A communicator of the devices of all ranks: "" if there can be one, else the reason why not; the id that rank 0
  // creates for it; and the connection, which every rank must make.
  virtual std::string trouble_with_communicator() const { return "a CPU's gradients are exchanged by the hosts"; }
  virtual std::string new_communicator_id() { return ""; }
  virtual std::unique_ptr<DeviceCommunicator> connect(const std::string& /*id*/, int /*rank*/, int /*size*/) {
    return nullptr;
  }

  // Operations: kernels/operations.h tells what each computes.
  virtual void multiply(const Gemm& gemm) = 0;
  // The floats of a weight [out, in] in the order in which GEMM reads it; 0: this device has no other order.
  virtual size_t packed_size(int64_t /*out*/, int64_t /*in*/) const { return 0; }
  virtual void pack(const Gemm& /*gemm*/, float* /*to*/) {}  // B, for Gemm::packed_b
#define VERBUND_OPERATION(operation, Arguments) virtual void operation(const Arguments& op) = 0;
  VERBUND_OPERATIONS(VERBUND_OPERATION)
#undef VERBUND_OPERATION
  virtual bool needs_token_order() const = 0;                                               // for embed_backward
  virtual Magnitude measure(const float* values, std::span<const Interval> intervals) = 0;  // waits for the result

 protected:
  Device(Precision precision, FloatType compute_dtype, bool is_host)
      : precision_(precision), compute_dtype_(compute_dtype), is_host_(is_host) {}

  // Advice by the purpose of an allocation that failed: batches size the activations, beams the kv cache, the
  // model everything else.
  static const char* memory_advice(std::string_view purpose) {
    if (purpose == "activations" || purpose.starts_with("intermediate results")) {
      return "use smaller batches (batch.tokens, train.micro_batch_tokens) or a smaller model";
    }
    if (purpose == "the kv cache") return "translate fewer tokens at once (decode.batch_tokens, decode.beam)";
    return "use a smaller model (model.d_model, model.encoder_layers, model.decoder_layers), or free memory: smaller "
           "batches would not help here";
  }

 private:
  Precision precision_;
  FloatType compute_dtype_;
  bool is_host_;
};

}  // namespace verbund
