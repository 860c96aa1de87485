// SPDX-License-Identifier: Apache-2.0
#include "cuda/context.h"

#include "core/error.h"

namespace verbund::cuda {

Context::Context(const CudaLibraries& libraries, int number) : driver_(libraries.driver), number_(number) {
  int count = 0;
  check(driver_.cuDeviceGetCount(&count), "cuDeviceGetCount");
  if (number < 0 || number >= count) {
    fail_usage("there is no GPU {}: the driver has {}, counted from 0 (CUDA_VISIBLE_DEVICES may hide some)", number,
               count);
  }
  check(driver_.cuDeviceGet(&device_, number), "cuDeviceGet");
  char name[256] = "";
  check(driver_.cuDeviceGetName(name, sizeof(name), device_), "cuDeviceGetName");
  name_ = name;
  check(driver_.cuDevicePrimaryCtxRetain(&context_, device_), "cuDevicePrimaryCtxRetain");
  make_current();
}

Context::~Context() {
  if (context_ != nullptr) driver_.cuDevicePrimaryCtxRelease_v2(device_);
}

std::string Context::uuid() const {
  CUuuid uuid = {};
  check(driver_.cuDeviceGetUuid_v2(&uuid, device_), "cuDeviceGetUuid");
  std::string text;
  for (size_t i = 0; i < sizeof(uuid.bytes); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

int Context::attribute(CUdevice_attribute attribute) const {
  int value = 0;
  check(driver_.cuDeviceGetAttribute(&value, attribute, device_), "cuDeviceGetAttribute");
  return value;
}

size_t Context::total_memory() const {
  size_t bytes = 0;
  check(driver_.cuDeviceTotalMem_v2(&bytes, device_), "cuDeviceTotalMem");
  return bytes;
}

void Context::make_current() const { check(driver_.cuCtxSetCurrent(context_), "cuCtxSetCurrent"); }

std::string Context::last_kernel() const {
  const char* kernel = last_kernel_;
  return kernel == nullptr ? "" : fmt::format(" (the kernel launched last is {})", kernel);
}

void Context::fail(CUresult result, const char* call) const {
  const char *name = nullptr, *text = nullptr;
  if (driver_.cuGetErrorName(result, &name) != CUDA_SUCCESS || name == nullptr) name = "an error unknown to the driver";
  if (driver_.cuGetErrorString(result, &text) != CUDA_SUCCESS || text == nullptr) text = "no description";
  verbund::fail("GPU {}{}: {} says {} ({}): {}{}", number_, name_.empty() ? "" : ", " + name_, call, name,
                static_cast<int>(result), text, last_kernel());
}

}  // namespace verbund::cuda
