// SPDX-License-Identifier: Apache-2.0
// CudaEvent is a point in a GPU's order of operations, CudaSideStream a stream beside its main one.
#pragma once

#include <memory>

#include "cuda/context.h"
#include "device/device.h"

namespace verbund::cuda {

class CudaEvent final : public DeviceEvent {
 public:
  // Happens after all calls on `stream` so far.
  CudaEvent(std::shared_ptr<Context> context, CUstream stream);
  ~CudaEvent() override;

  void wait() override;
  double seconds_after(DeviceEvent& earlier) override;
  // Its state without waiting: CUDA_ERROR_NOT_READY if it has not happened yet.
  CUresult query() const;
  // Later calls on `stream` run after this event.
  void hold(CUstream stream) const;

 private:
  std::shared_ptr<Context> context_;
  CUevent event_ = nullptr;
};

// Throws if it is another device's.
const CudaEvent& as_cuda(const DeviceEvent& event);

// Copies are asynchronous for memory of Device::allocate_host only. It has priority over the main stream: other ranks
// wait for what is sent on it, and its kernels are few blocks beside many.
class CudaSideStream final : public SideStream {
 public:
  explicit CudaSideStream(std::shared_ptr<Context> context);
  ~CudaSideStream() override;

  CUstream stream() const { return stream_; }
  void wait_for(DeviceEvent& event) override;
  void download(void* host, const void* from, size_t bytes) override;
  void upload(void* to, const void* host, size_t bytes) override;
  void synchronize() override;
  std::unique_ptr<DeviceEvent> mark() override;

 private:
  std::shared_ptr<Context> context_;
  CUstream stream_ = nullptr;
};

inline CUdeviceptr address_of(const void* memory) { return reinterpret_cast<CUdeviceptr>(memory); }

}  // namespace verbund::cuda
