// SPDX-License-Identifier: Apache-2.0
// Memory and copies of the emulated driver.
#include <cstring>

#include "emulated/driver_call.h"

namespace emulated {
namespace {

void* pointer_to(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

// Pinned memory is read and written when the copy runs, and must still be there then.
void expect_pinned(Gpus& all, const char* function, const void* pointer, size_t bytes) {
  const std::lock_guard lock(all.mutex);
  if (all.pinned.contains(pointer, bytes)) return;
  throw Failure{CUDA_ERROR_ILLEGAL_ADDRESS,
                fmt::format("{} runs after the pinned memory at {} was freed ({} bytes)", function, pointer, bytes)};
}

CUresult check_host(const Call& call, const void* pointer, size_t bytes) {
  if (pointer == nullptr) return call.refuse(CUDA_ERROR_INVALID_VALUE, "the host's pointer is null");
  for (const auto& device : call.all.devices) {
    if (device->memory.in_range(reinterpret_cast<uintptr_t>(pointer))) {
      return call.refuse(CUDA_ERROR_INVALID_VALUE, "the host's pointer is one of device {}", device->number);
    }
  }
  if (call.all.pinned.freed(pointer)) {
    return call.refuse(CUDA_ERROR_INVALID_VALUE, "the pinned memory at {} was freed", pointer);
  }
  if (call.all.pinned.begins_in(pointer) && !call.all.pinned.contains(pointer, bytes)) {
    return call.refuse(CUDA_ERROR_INVALID_VALUE, "{} bytes from {} reach beyond the pinned memory", bytes, pointer);
  }
  return CUDA_SUCCESS;
}

}  // namespace

CUresult cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  return in_context("cuMemGetInfo", [&](const Call& call) {
    if (free == nullptr || total == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *free = call.device.memory.free_bytes();
    *total = call.device.memory.limit();
    return CUDA_SUCCESS;
  });
}

CUresult cuMemAlloc_v2(CUdeviceptr* pointer, std::size_t bytes) {
  return in_context("cuMemAlloc", [&](const Call& call) {
    if (pointer == nullptr || bytes == 0) return call.refuse(CUDA_ERROR_INVALID_VALUE, "0 bytes, or nowhere to");
    const uintptr_t address = call.device.memory.allocate(bytes);
    if (address == 0) return CUDA_ERROR_OUT_OF_MEMORY;
    if (call.device.shadow != nullptr) {
      const DeviceMemory::Extent extent = call.device.memory.extent(address);
      call.device.shadow->clear(extent.begin, extent.end);
      call.device.shadow->set_outside(extent.begin, address);
      call.device.shadow->set_outside(address + bytes, extent.end);
    }
    *pointer = address;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemFree_v2(CUdeviceptr pointer) {
  return in_context("cuMemFree", [&](const Call& call) {
    if (call.device.memory.release(pointer)) return CUDA_SUCCESS;
    return call.refuse(CUDA_ERROR_INVALID_VALUE, "nothing is allocated at {:#x}: {}", pointer,
                       call.device.memory.in_range(pointer) ? call.device.memory.describe(pointer) : "no device's");
  });
}

CUresult cuMemHostAlloc(void** pointer, std::size_t bytes, unsigned int flags) {
  return in_context("cuMemHostAlloc", [&](const Call& call) {
    if (pointer == nullptr || bytes == 0 || flags > 7) {
      return call.refuse(CUDA_ERROR_INVALID_VALUE, "{} bytes with flags {}", bytes, flags);
    }
    *pointer = call.all.pinned.allocate(bytes);
    return *pointer == nullptr ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
  });
}

CUresult cuMemFreeHost(void* pointer) {
  return in_context("cuMemFreeHost", [&](const Call& call) {
    if (call.all.pinned.release(pointer)) return CUDA_SUCCESS;
    return call.refuse(CUDA_ERROR_INVALID_VALUE, "nothing is allocated at {}", pointer);
  });
}

// What is not pinned is copied at the call, as the driver does; the program may overwrite it at once.
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream) {
  return in_context("cuMemcpyHtoDAsync", [&](const Call& call) {
    if (const CUresult error = call.check(stream); error != CUDA_SUCCESS) return error;
    if (bytes == 0) return CUDA_SUCCESS;
    if (const CUresult error = call.check(to, bytes); error != CUDA_SUCCESS) return error;
    if (const CUresult error = check_host(call, from, bytes); error != CUDA_SUCCESS) return error;
    Work work{.name = "cuMemcpyHtoDAsync", .ranges = {{pointer_to(to), bytes, true}}};
    if (call.all.pinned.begins_in(from)) {
      work.run = [&all = call.all, to, from, bytes] {
        expect_pinned(all, "cuMemcpyHtoDAsync", from, bytes);
        std::memcpy(pointer_to(to), from, bytes);
      };
    } else {
      auto copy =
          std::make_shared<std::vector<char>>(static_cast<const char*>(from), static_cast<const char*>(from) + bytes);
      work.run = [to, copy] { std::memcpy(pointer_to(to), copy->data(), copy->size()); };
    }
    call.all.enqueue(stream, std::move(work));
    return CUDA_SUCCESS;
  });
}

// Into memory that is not pinned the driver copies before it returns.
CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return in_context("cuMemcpyDtoHAsync", [&](const Call& call) {
    if (const CUresult error = call.check(stream); error != CUDA_SUCCESS) return error;
    if (bytes == 0) return CUDA_SUCCESS;
    if (const CUresult error = call.check(from, bytes); error != CUDA_SUCCESS) return error;
    if (const CUresult error = check_host(call, to, bytes); error != CUDA_SUCCESS) return error;
    const bool pinned = call.all.pinned.begins_in(to);
    Work work{.name = "cuMemcpyDtoHAsync", .ranges = {{pointer_to(from), bytes, false}}};
    work.run = [&all = call.all, to, from, bytes, pinned] {
      if (pinned) expect_pinned(all, "cuMemcpyDtoHAsync", to, bytes);
      std::memcpy(to, pointer_to(from), bytes);
    };
    const auto record = call.all.enqueue(stream, std::move(work));
    if (!pinned) call.all.finish(call.lock, call.device, *record);
    return call.device.error;
  });
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return in_context("cuMemcpyDtoDAsync", [&](const Call& call) {
    if (const CUresult error = call.check(stream); error != CUDA_SUCCESS) return error;
    if (bytes == 0) return CUDA_SUCCESS;
    if (const CUresult error = call.check(to, bytes); error != CUDA_SUCCESS) return error;
    if (const CUresult error = call.check(from, bytes); error != CUDA_SUCCESS) return error;
    if (to < from + bytes && from < to + bytes) {
      return call.refuse(CUDA_ERROR_INVALID_VALUE, "{} bytes from {:#x} and to {:#x} overlap", bytes, from, to);
    }
    call.all.enqueue(stream, {.name = "cuMemcpyDtoDAsync",
                              .run = [=] { std::memcpy(pointer_to(to), pointer_to(from), bytes); },
                              .ranges = {{pointer_to(from), bytes, false}, {pointer_to(to), bytes, true}}});
    return CUDA_SUCCESS;
  });
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t bytes, CUstream stream) {
  return in_context("cuMemsetD8Async", [&](const Call& call) {
    if (const CUresult error = call.check(stream); error != CUDA_SUCCESS) return error;
    if (bytes == 0) return CUDA_SUCCESS;
    if (const CUresult error = call.check(to, bytes); error != CUDA_SUCCESS) return error;
    call.all.enqueue(stream, {.name = "cuMemsetD8Async",
                              .run = [=] { std::memset(pointer_to(to), value, bytes); },
                              .ranges = {{pointer_to(to), bytes, true}}});
    return CUDA_SUCCESS;
  });
}

}  // namespace emulated
