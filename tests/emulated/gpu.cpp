// SPDX-License-Identifier: Apache-2.0
#include "emulated/gpu.h"

#include <algorithm>

#include "emulated/messages.h"
#include "emulated/settings.h"

namespace emulated {
namespace {

std::atomic<Gpus*> all = nullptr;

}  // namespace

Device::Device(int its_number) : number(its_number), memory(its_number, settings().memory) {
  if (kChecked) shadow = std::make_unique<Shadow>(memory.begin(), memory.bytes());
}

Gpus::Gpus() {
  for (int number = 0; number < static_cast<int>(settings().devices.size()); ++number)
    devices.push_back(std::make_unique<Device>(number));
}

Gpus* gpus() { return all; }

void make_gpus() {
  static std::mutex making;
  const std::lock_guard lock(making);
  if (all != nullptr) return;
  all = new Gpus;  // never destroyed: threads may use it until the process ends
  install_fault_handler();
}

CUcontext Gpus::retain(Device& device) {
  if (device.retained++ == 0) {
    device.context = std::make_unique<CUctx_st>(CUctx_st{&device});
    device.legacy = make_stream(device, false);
  }
  return device.context.get();
}

// With the last user of the primary context, all that belongs to it ends, its error too.
void Gpus::release(std::unique_lock<std::mutex>& lock, Device& device) {
  if (--device.retained > 0) return;
  const auto own = [&](const auto& stream) { return stream->device == &device; };
  changed_.wait(lock, [&] {
    return std::ranges::none_of(streams_, [&](const auto& stream) { return own(stream) && stream->busy; });
  });
  for (const auto& stream : streams_) {
    if (!own(stream)) continue;
    for (const Item& item : stream->queue) item.record->done = true;  // somebody may wait for it
  }
  std::erase_if(streams_, own);
  const auto remove = [](auto& handles, const auto& belongs) {
    for (auto handle = handles.begin(); handle != handles.end();) {
      if (!belongs(*handle)) {
        ++handle;
        continue;
      }
      delete *handle;
      handle = handles.erase(handle);
    }
  };
  remove(events, [&](CUevent event) { return event->device == &device; });
  remove(functions, [&](CUfunction function) { return function->module->device == &device; });
  remove(modules, [&](CUmodule module) { return module->device == &device; });
  device.memory.release_all();
  device.context.reset();
  device.legacy = nullptr;
  device.error = CUDA_SUCCESS;
}

CUstream Gpus::make_stream(Device& device, bool blocking) {
  streams_.push_back(std::make_unique<CUstream_st>(CUstream_st{&device, next_number_++, blocking}));
  return streams_.back().get();
}

bool Gpus::is_stream(CUstream stream) const {
  return std::ranges::any_of(streams_, [&](const auto& known) { return known.get() == stream && !known->destroyed; });
}

}  // namespace emulated
