// SPDX-License-Identifier: Apache-2.0
// Streams and events of the emulated driver. Priorities change nothing: any order that the events allow may happen.
#include "emulated/driver_call.h"

namespace emulated {
namespace {

// As of today's GPUs: the smaller, the sooner.
constexpr int kLeastPriority = 0, kGreatestPriority = -5;

}  // namespace

CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return in_context("cuCtxGetStreamPriorityRange", [&](const Call&) {
    if (least != nullptr) *least = kLeastPriority;
    if (greatest != nullptr) *greatest = kGreatestPriority;
    return CUDA_SUCCESS;
  });
}

// The real one takes a priority out of range for the nearest, so that a mistake is never noticed.
CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned int flags, int priority) {
  return in_context("cuStreamCreateWithPriority", [&](const Call& call) {
    if (stream == nullptr || flags > CU_STREAM_NON_BLOCKING) {
      return call.refuse(CUDA_ERROR_INVALID_VALUE, "flags {}", flags);
    }
    if (priority < kGreatestPriority || priority > kLeastPriority) {
      return call.refuse(CUDA_ERROR_INVALID_VALUE, "priority {} is not within {} and {}", priority, kGreatestPriority,
                         kLeastPriority);
    }
    *stream = call.all.make_stream(call.device, flags != CU_STREAM_NON_BLOCKING);
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamCreate(CUstream* stream, unsigned int flags) {
  return in_context("cuStreamCreate", [&](const Call& call) {
    if (stream == nullptr || flags > CU_STREAM_NON_BLOCKING) {
      return call.refuse(CUDA_ERROR_INVALID_VALUE, "flags {}", flags);
    }
    *stream = call.all.make_stream(call.device, flags != CU_STREAM_NON_BLOCKING);
    return CUDA_SUCCESS;
  });
}

// What is queued still runs.
CUresult cuStreamDestroy_v2(CUstream stream) {
  return in_context("cuStreamDestroy", [&](const Call& call) {
    if (stream == nullptr) return call.refuse(CUDA_ERROR_INVALID_HANDLE, "the stream is null");
    if (const CUresult error = call.check(stream); error != CUDA_SUCCESS) return error;
    stream->destroyed = true;
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamSynchronize(CUstream stream) {
  return in_context("cuStreamSynchronize", [&](const Call& call) {
    if (const CUresult error = call.check(stream); error != CUDA_SUCCESS) return error;
    call.all.finish(call.lock, stream);
    return call.device.error;
  });
}

// An event that was never recorded is nothing to wait for.
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags) {
  return in_context("cuStreamWaitEvent", [&](const Call& call) {
    if (flags != 0) return call.refuse(CUDA_ERROR_INVALID_VALUE, "flags {} must be 0", flags);
    if (const CUresult error = call.check(stream); error != CUDA_SUCCESS) return error;
    if (const CUresult error = call.check(event); error != CUDA_SUCCESS) return error;
    if (event->record) call.all.enqueue(stream, {.name = "cuStreamWaitEvent"}, {event->record});
    return CUDA_SUCCESS;
  });
}

CUresult cuEventCreate(CUevent* event, unsigned int flags) {
  return in_context("cuEventCreate", [&](const Call& call) {
    if (event == nullptr || flags > 7) return call.refuse(CUDA_ERROR_INVALID_VALUE, "flags {}", flags);
    *event = new CUevent_st{&call.device, (flags & CU_EVENT_DISABLE_TIMING) == 0, nullptr};
    call.all.events.insert(*event);
    return CUDA_SUCCESS;
  });
}

CUresult cuEventDestroy_v2(CUevent event) {
  return in_context("cuEventDestroy", [&](const Call& call) {
    if (const CUresult error = call.check(event); error != CUDA_SUCCESS) return error;
    call.all.events.erase(event);
    delete event;
    return CUDA_SUCCESS;
  });
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  return in_context("cuEventRecord", [&](const Call& call) {
    if (const CUresult error = call.check(stream); error != CUDA_SUCCESS) return error;
    if (const CUresult error = call.check(event); error != CUDA_SUCCESS) return error;
    if (event->device != stream->device) {
      return call.refuse(CUDA_ERROR_INVALID_HANDLE, "the event is of device {}, the stream of device {}",
                         event->device->number, stream->device->number);
    }
    event->record = call.all.enqueue(stream, {.name = "cuEventRecord"});
    return CUDA_SUCCESS;
  });
}

CUresult cuEventSynchronize(CUevent event) {
  return in_context("cuEventSynchronize", [&](const Call& call) {
    if (const CUresult error = call.check(event); error != CUDA_SUCCESS) return error;
    const auto record = event->record;
    if (record) call.all.finish(call.lock, *event->device, *record);
    return call.device.error;
  });
}

// Whoever polls must come to an end: each question runs one piece of work.
CUresult cuEventQuery(CUevent event) {
  return in_context("cuEventQuery", [&](const Call& call) {
    if (const CUresult error = call.check(event); error != CUDA_SUCCESS) return error;
    const auto record = event->record;
    if (!record) return CUDA_SUCCESS;
    const bool done = record->done;
    if (!done) call.all.advance(call.lock, *event->device);
    if (call.device.error != CUDA_SUCCESS) return call.device.error;
    if (!done) return CUDA_ERROR_NOT_READY;
    call.all.finish(call.lock, *event->device, *record);
    return CUDA_SUCCESS;
  });
}

CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  return in_context("cuEventElapsedTime", [&](const Call& call) {
    if (milliseconds == nullptr) return CUDA_ERROR_INVALID_VALUE;
    for (const CUevent event : {start, end}) {
      if (const CUresult error = call.check(event); error != CUDA_SUCCESS) return error;
      if (!event->timed || !event->record) {
        return call.refuse(CUDA_ERROR_INVALID_HANDLE, "an event was made without timing or never recorded");
      }
    }
    if (!start->record->done || !end->record->done) return CUDA_ERROR_NOT_READY;
    *milliseconds = std::chrono::duration<float, std::milli>(end->record->at - start->record->at).count();
    return CUDA_SUCCESS;
  });
}

CUcontext context_of(CUstream stream) {
  if (stream == nullptr) return current_context();
  if (gpus() == nullptr) return nullptr;
  const std::lock_guard lock(gpus()->mutex);
  return gpus()->is_stream(stream) ? stream->device->context.get() : nullptr;
}

bool in_device_memory(CUcontext context, const void* pointer, size_t bytes) {
  const std::lock_guard lock(gpus()->mutex);
  return context->device->memory.contains(reinterpret_cast<uintptr_t>(pointer), bytes);
}

CUresult enqueue(CUstream stream, Work work) {
  const std::string name = work.name;
  return in_context(name.c_str(), [&](const Call& call) {
    if (const CUresult error = call.check(stream); error != CUDA_SUCCESS) return error;
    call.all.enqueue(stream, std::move(work));
    return CUDA_SUCCESS;
  });
}

}  // namespace emulated
