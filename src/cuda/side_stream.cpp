// SPDX-License-Identifier: Apache-2.0
#include "cuda/side_stream.h"

#include <utility>

#include "core/error.h"

namespace verbund::cuda {

CudaEvent::CudaEvent(std::shared_ptr<Context> context, CUstream stream) : context_(std::move(context)) {
  const Driver& driver = context_->driver();
  context_->make_current();
  context_->check(driver.cuEventCreate(&event_, CU_EVENT_DEFAULT), "cuEventCreate");
  const CUresult recorded = driver.cuEventRecord(event_, stream);
  if (recorded != CUDA_SUCCESS) driver.cuEventDestroy_v2(event_);
  context_->check(recorded, "cuEventRecord");
}

CudaEvent::~CudaEvent() {
  context_->try_make_current();
  context_->driver().cuEventDestroy_v2(event_);
}

void CudaEvent::wait() {
  context_->make_current();
  context_->check(context_->driver().cuEventSynchronize(event_), "cuEventSynchronize");
}

double CudaEvent::seconds_after(DeviceEvent& earlier) {
  float milliseconds = 0;
  context_->make_current();
  context_->check(context_->driver().cuEventElapsedTime(&milliseconds, as_cuda(earlier).event_, event_),
                  "cuEventElapsedTime");
  return milliseconds / 1e3;
}

CUresult CudaEvent::query() const {
  context_->make_current();
  return context_->driver().cuEventQuery(event_);
}

void CudaEvent::hold(CUstream stream) const {
  context_->make_current();
  context_->check(context_->driver().cuStreamWaitEvent(stream, event_, 0), "cuStreamWaitEvent");
}

const CudaEvent& as_cuda(const DeviceEvent& event) {
  const auto* cuda = dynamic_cast<const CudaEvent*>(&event);
  if (cuda == nullptr) fail("a GPU's stream cannot wait for an event of another device");
  return *cuda;
}

CudaSideStream::CudaSideStream(std::shared_ptr<Context> context) : context_(std::move(context)) {
  context_->make_current();
  const Driver& driver = context_->driver();
  int least = 0, greatest = 0;
  context_->check(driver.cuCtxGetStreamPriorityRange(&least, &greatest), "cuCtxGetStreamPriorityRange");
  context_->check(driver.cuStreamCreateWithPriority(&stream_, CU_STREAM_NON_BLOCKING, greatest),
                  "cuStreamCreateWithPriority");
}

CudaSideStream::~CudaSideStream() {
  const Driver& driver = context_->driver();
  context_->try_make_current();
  driver.cuStreamSynchronize(stream_);  // what it works on may be freed next
  driver.cuStreamDestroy_v2(stream_);
}

void CudaSideStream::wait_for(DeviceEvent& event) { as_cuda(event).hold(stream_); }

void CudaSideStream::download(void* host, const void* from, size_t bytes) {
  if (bytes == 0) return;
  context_->make_current();
  context_->check(context_->driver().cuMemcpyDtoHAsync_v2(host, address_of(from), bytes, stream_), "cuMemcpyDtoHAsync");
}

void CudaSideStream::upload(void* to, const void* host, size_t bytes) {
  if (bytes == 0) return;
  context_->make_current();
  context_->check(context_->driver().cuMemcpyHtoDAsync_v2(address_of(to), host, bytes, stream_), "cuMemcpyHtoDAsync");
}

void CudaSideStream::synchronize() {
  context_->make_current();
  context_->check(context_->driver().cuStreamSynchronize(stream_), "cuStreamSynchronize");
}

std::unique_ptr<DeviceEvent> CudaSideStream::mark() { return std::make_unique<CudaEvent>(context_, stream_); }

}  // namespace verbund::cuda
