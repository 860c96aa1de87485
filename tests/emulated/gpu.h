// SPDX-License-Identifier: Apache-2.0
// The emulated GPUs: devices with memory, contexts, streams and events, and the work that waits in streams. Work runs
// only when somebody waits for it, in the order of the settings as far as events allow: what a program does not wait
// for has not happened, so a missing wait shows in the results.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "cuda/driver_api.h"
#include "emulated/device_memory.h"
#include "emulated/device_work.h"
#include "emulated/kernel.h"
#include "emulated/pinned_memory.h"
#include "emulated/race_checker.h"

namespace emulated {

// Clock is what is known to have happened before an event: for each stream, how much of its work. Two pieces of work of
// different streams are in order only if the later one's clock knows the earlier one.
class Clock {
 public:
  void join(const Clock& other) {
    if (times_.size() < other.times_.size()) times_.resize(other.times_.size());
    for (size_t stream = 0; stream < other.times_.size(); ++stream) {
      times_[stream] = std::max(times_[stream], other.times_[stream]);
    }
  }
  void set(size_t stream, uint32_t time) {
    if (times_.size() <= stream) times_.resize(stream + 1);
    times_[stream] = time;
  }
  bool knows(size_t stream, uint32_t time) const { return stream < times_.size() && times_[stream] >= time; }

 private:
  std::vector<uint32_t> times_;  // by the stream's number
};

using namespace verbund::cuda;

// That a piece of work is done, and what is known then. An event points to the last one recorded.
struct Record {
  bool done = false;
  Clock clock;
  std::chrono::steady_clock::time_point at;
};

struct Item {
  Work work;
  std::vector<std::shared_ptr<Record>> waits;
  std::shared_ptr<Record> record;
  Clock host;  // what the host had waited for when it queued this
  std::chrono::steady_clock::time_point queued;
};

struct Device {
  explicit Device(int number);

  int number;
  DeviceMemory memory;
  std::unique_ptr<Shadow> shadow;  // for the race checker, or nullptr
  int retained = 0;                // of the primary context
  std::unique_ptr<CUctx_st> context;
  CUstream legacy = nullptr;  // the stream nullptr
  bool running = false;       // work that has the device for itself
  bool has_helper = false;    // a thread for work that waits for other ranks
  CUresult error = CUDA_SUCCESS;
};

class Gpus {
 public:
  Gpus();

  std::mutex mutex;  // of all that is here; not held while work runs
  std::vector<std::unique_ptr<Device>> devices;
  PinnedMemory pinned;
  std::set<CUevent> events;
  std::set<CUmodule> modules;
  std::set<CUfunction> functions;

  CUcontext retain(Device& device);
  void release(std::unique_lock<std::mutex>& lock, Device& device);
  CUstream make_stream(Device& device, bool blocking);
  bool is_stream(CUstream stream) const;

  std::shared_ptr<Record> enqueue(CUstream stream, Work work, std::vector<std::shared_ptr<Record>> waits = {});
  // Runs what is queued until the record is done or the stream or device has no more work.
  void finish(std::unique_lock<std::mutex>& lock, Device& device, const Record& record);
  void finish(std::unique_lock<std::mutex>& lock, CUstream stream);
  void finish(std::unique_lock<std::mutex>& lock, Device& device);
  // Runs one piece of work if any can run.
  void advance(std::unique_lock<std::mutex>& lock, Device& device);

 private:
  using Targets = std::vector<const Record*>;  // what somebody waits for
  void run_until(std::unique_lock<std::mutex>& lock, Device& device, const Targets& targets,
                 const std::function<bool()>& reached);
  CUstream next_stream(const Device* device, const Targets& targets);
  bool leads_to(const Record& record, const Targets& targets) const;
  void run_first(std::unique_lock<std::mutex>& lock, CUstream_st& stream);
  void perform(std::unique_lock<std::mutex>& lock, CUstream_st& stream, Item& item);
  void check_ranges(const Device& device, const Work& work) const;
  void run_for_others(Device& device);

  std::vector<std::unique_ptr<CUstream_st>> streams_;  // in the order of their creation
  std::condition_variable changed_;
  Clock host_;
  unsigned next_number_ = 0;
  uint64_t random_ = 0;
  int running_ = 0;
};

// nullptr before cuInit.
Gpus* gpus();
void make_gpus();

}  // namespace emulated

namespace verbund::cuda {

struct CUctx_st {
  emulated::Device* device;
};
struct CUstream_st {
  emulated::Device* device;
  unsigned number;  // never used again, for clocks
  bool blocking;    // waits for the stream nullptr
  bool destroyed = false, busy = false;
  std::deque<emulated::Item> queue;
  emulated::Clock clock;
  uint32_t time = 0;
  std::shared_ptr<emulated::Record> last;
};
struct CUevent_st {
  emulated::Device* device;
  bool timed;
  std::shared_ptr<emulated::Record> record;
};
struct CUmod_st {
  emulated::Device* device;
  int dtype;
};
struct CUfunc_st {
  CUmodule module;
  emulated::Kernel* kernel;
};

}  // namespace verbund::cuda
