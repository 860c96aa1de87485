// SPDX-License-Identifier: Apache-2.0
// Devices, contexts and errors of the emulated driver.
#include <cstdio>
#include <cstring>

#include "emulated/driver_call.h"
#include "emulated/settings.h"

namespace emulated {
namespace {

constinit thread_local CUcontext current = nullptr;

Device* find_device(CUdevice number) {
  Gpus* all = gpus();
  if (all == nullptr || number < 0 || number >= static_cast<int>(all->devices.size())) return nullptr;
  return all->devices[static_cast<size_t>(number)].get();
}

CUresult no_device(const char* function, CUdevice number) {
  if (gpus() == nullptr) return refuse_call(CUDA_ERROR_NOT_INITIALIZED, "{}: cuInit has not been called", function);
  return refuse_call(CUDA_ERROR_INVALID_DEVICE, "{}: device {} of {}", function, number, gpus()->devices.size());
}

// A V100's where nothing else is known.
int attribute_value(CUdevice_attribute attribute, CUdevice device) {
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
      return 1024;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:
      return 64;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
      return 0x7FFFFFFF;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z:
      return 65535;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
      return kSharedLimit;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
      return 32;
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK:
      return 65536;
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
      return 1530000;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      return 80;
    case CU_DEVICE_ATTRIBUTE_ECC_ENABLED:
      return 1;
    case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID:
      return 16 + settings().devices[static_cast<size_t>(device)];
    case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
      return 877000;
    case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
      return 4096;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
      return 6 << 20;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
      return 2048;
    case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
      return 1;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      return settings().architecture / 10;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      return settings().architecture % 10;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
      return 96 << 10;
    default:
      return 0;
  }
}

struct ErrorName {
  CUresult error;
  const char *name, *text;
};
constexpr ErrorName kErrors[] = {
    {CUDA_SUCCESS, "CUDA_SUCCESS", "no error"},
    {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {CUDA_ERROR_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {CUDA_ERROR_NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for this device"},
    {CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {CUDA_ERROR_NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
    {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources for a launch"},
    {CUDA_ERROR_MISALIGNED_ADDRESS, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    {CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {CUDA_ERROR_UNKNOWN, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

const ErrorName* find_error(CUresult error) {
  for (const ErrorName& known : kErrors) {
    if (known.error == error) return &known;
  }
  return nullptr;
}

}  // namespace

void set_current_context(CUcontext context) { current = context; }

CUcontext current_context() {
  Gpus* all = gpus();
  if (all == nullptr || current == nullptr) return nullptr;
  const std::lock_guard lock(all->mutex);
  for (const auto& device : all->devices) {
    if (device->context.get() == current) return current;
  }
  return nullptr;  // destroyed meanwhile
}

CUresult context_error(CUcontext context) {
  const std::lock_guard lock(gpus()->mutex);
  return context->device->error;
}

int device_of(CUcontext context) { return context->device->number; }

CUresult cuInit(unsigned int flags) {
  if (flags != 0) return refuse_call(CUDA_ERROR_INVALID_VALUE, "cuInit: flags {} must be 0", flags);
  if (settings().devices.empty()) return CUDA_ERROR_NO_DEVICE;
  make_gpus();
  return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int* version) {
  if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *version = 12080;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
  if (gpus() == nullptr) return CUDA_ERROR_NOT_INITIALIZED;
  if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *count = static_cast<int>(gpus()->devices.size());
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  if (find_device(ordinal) == nullptr) return no_device("cuDeviceGet", ordinal);
  if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  if (find_device(device) == nullptr) return no_device("cuDeviceGetName", device);
  if (name == nullptr || length <= 0) return CUDA_ERROR_INVALID_VALUE;
  std::snprintf(name, static_cast<size_t>(length), "Emulated GPU (sm_%d)", settings().architecture);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device) {
  if (find_device(device) == nullptr) return no_device("cuDeviceGetUuid", device);
  if (uuid == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(uuid->bytes, "emulated GPU", 12);
  const auto number = static_cast<uint32_t>(settings().devices[static_cast<size_t>(device)]);
  std::memcpy(uuid->bytes + 12, &number, sizeof number);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  if (find_device(device) == nullptr) return no_device("cuDeviceGetAttribute", device);
  if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *value = attribute_value(attribute, device);
  return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice number) {
  const Device* device = find_device(number);
  if (device == nullptr) return no_device("cuDeviceTotalMem", number);
  if (bytes == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *bytes = device->memory.limit();
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice number) {
  Device* device = find_device(number);
  if (device == nullptr) return no_device("cuDevicePrimaryCtxRetain", number);
  if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const std::lock_guard lock(gpus()->mutex);
  *context = gpus()->retain(*device);
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice number) {
  Device* device = find_device(number);
  if (device == nullptr) return no_device("cuDevicePrimaryCtxRelease", number);
  std::unique_lock lock(gpus()->mutex);
  if (device->retained == 0) {
    return refuse_call(CUDA_ERROR_INVALID_CONTEXT, "cuDevicePrimaryCtxRelease: device {} has no context", number);
  }
  gpus()->release(lock, *device);
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) {
  Gpus* all = gpus();
  if (all == nullptr) return CUDA_ERROR_NOT_INITIALIZED;
  const std::lock_guard lock(all->mutex);
  bool known = context == nullptr;
  for (const auto& device : all->devices) known = known || device->context.get() == context;
  if (!known) return refuse_call(CUDA_ERROR_INVALID_CONTEXT, "cuCtxSetCurrent: the context does not exist");
  set_current_context(context);
  return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize() {
  return in_context("cuCtxSynchronize", [](const Call& call) {
    call.all.finish(call.lock, call.device);
    return call.device.error;
  });
}

CUresult cuGetErrorName(CUresult error, const char** name) {
  if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const ErrorName* known = find_error(error);
  *name = known == nullptr ? nullptr : known->name;
  return known == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult error, const char** text) {
  if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const ErrorName* known = find_error(error);
  *text = known == nullptr ? nullptr : known->text;
  return known == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

}  // namespace emulated
