// SPDX-License-Identifier: Apache-2.0
// The streams' queues of work, and the order in which it runs.
#include <algorithm>
#include <map>
#include <thread>

#include "emulated/counters.h"
#include "emulated/gpu.h"
#include "emulated/messages.h"
#include "emulated/settings.h"

namespace emulated {

using std::chrono::steady_clock;

std::shared_ptr<Record> Gpus::enqueue(CUstream stream, Work work, std::vector<std::shared_ptr<Record>> waits) {
  // The stream nullptr waits for all others that do not refuse it, and they for it.
  Device& device = *stream->device;
  if (stream == device.legacy) {
    for (const auto& other : streams_) {
      if (other->device == &device && other->blocking && other->last) waits.push_back(other->last);
    }
  } else if (stream->blocking && device.legacy->last) {
    waits.push_back(device.legacy->last);
  }
  auto record = std::make_shared<Record>();
  if (work.waits_for_others && !device.has_helper) {
    device.has_helper = true;
    std::thread([this, &device] { run_for_others(device); }).detach();
  }
  stream->queue.push_back({std::move(work), std::move(waits), record, host_, steady_clock::now()});
  stream->last = record;
  changed_.notify_all();
  return record;
}

void Gpus::finish(std::unique_lock<std::mutex>& lock, Device& device, const Record& record) {
  run_until(lock, device, {&record}, [&] { return record.done; });
  host_.join(record.clock);
}

void Gpus::finish(std::unique_lock<std::mutex>& lock, CUstream stream) {
  const std::shared_ptr<Record> last = stream->last;
  if (!last) return;
  run_until(lock, *stream->device, {last.get()}, [&] { return last->done; });
  host_.join(last->clock);
}

void Gpus::finish(std::unique_lock<std::mutex>& lock, Device& device) {
  std::vector<std::shared_ptr<Record>> lasts;
  Targets targets;
  for (const auto& stream : streams_) {
    if (stream->device != &device || !stream->last) continue;
    lasts.push_back(stream->last);
    targets.push_back(stream->last.get());
  }
  run_until(lock, device, targets,
            [&] { return std::ranges::all_of(lasts, [](const auto& last) { return last->done; }); });
  for (const auto& last : lasts) host_.join(last->clock);
}

void Gpus::advance(std::unique_lock<std::mutex>& lock, Device& device) {
  int steps = 0;
  run_until(lock, device, {}, [&] { return ++steps > 1 || next_stream(&device, {}) == nullptr; });
  // Who asks must not wait for other ranks: a thread of the device does.
  for (const auto& stream : streams_) {
    if (stream->device != &device || stream->queue.empty() || !stream->queue.front().work.waits_for_others) continue;
    stream->queue.front().queued = {};
    changed_.notify_all();
  }
}

// Whether the targets can be reached only after this: it is one of them, or comes before it in its stream, or before
// what it waits for.
bool Gpus::leads_to(const Record& record, const Targets& targets) const {
  Targets open = targets;
  std::map<const CUstream_st*, size_t> seen;  // items of each stream
  while (!open.empty()) {
    const Record* one = open.back();
    open.pop_back();
    if (one == &record) return true;
    for (const auto& stream : streams_) {
      const auto& queue = stream->queue;
      const auto found = std::ranges::find_if(queue, [&](const Item& item) { return item.record.get() == one; });
      if (found == queue.end()) continue;
      for (size_t& i = seen[stream.get()]; i <= static_cast<size_t>(found - queue.begin()); ++i) {
        if (queue[i].record.get() == &record) return true;
        for (const auto& wait : queue[i].waits) {
          if (!wait->done) open.push_back(wait.get());
        }
      }
    }
  }
  return false;
}

// The stream whose first piece of work can run, by the order of the settings; of the device or of any. Work that waits
// for other ranks runs only for whoever needs it: others would wait for something that they may have to bring about.
CUstream Gpus::next_stream(const Device* device, const Targets& targets) {
  std::vector<CUstream> ready;
  for (const auto& stream : streams_) {
    if (device != nullptr && stream->device != device) continue;
    if (stream->queue.empty() || stream->busy || stream->device->running) continue;
    const Item& item = stream->queue.front();
    if (!std::ranges::all_of(item.waits, [](const auto& record) { return record->done; })) continue;
    if (!item.work.waits_for_others || leads_to(*item.record, targets)) ready.push_back(stream.get());
  }
  if (ready.empty()) return nullptr;
  if (settings().order == Order::kForward) return ready.front();
  if (settings().order == Order::kBackward) return ready.back();
  random_ = random_ * 6364136223846793005u + settings().seed * 2 + 1;
  return ready[(random_ >> 33) % ready.size()];
}

void Gpus::run_until(std::unique_lock<std::mutex>& lock, Device& device, const Targets& targets,
                     const std::function<bool()>& reached) {
  std::vector<Device*> open;
  while (!reached()) {
    CUstream stream = next_stream(&device, targets);
    if (stream == nullptr) stream = next_stream(nullptr, targets);  // what this device waits for may be another's
    if (stream != nullptr) {
      if (std::ranges::find(open, stream->device) == open.end()) {
        stream->device->memory.open();
        open.push_back(stream->device);
      }
      run_first(lock, *stream);
    } else if (running_ > 0) {
      changed_.wait(lock);  // another thread runs it
    } else {
      say("streams wait for each other: no work can run");
      std::abort();
    }
  }
  for (Device* opened : open) opened->memory.close();
}

void Gpus::run_first(std::unique_lock<std::mutex>& lock, CUstream_st& stream) {
  Item& item = stream.queue.front();
  stream.busy = true;
  stream.clock.join(item.host);
  for (const auto& record : item.waits) stream.clock.join(record->clock);
  stream.clock.set(stream.number, ++stream.time);
  if (item.work.run && stream.device->error == CUDA_SUCCESS) perform(lock, stream, item);
  item.record->clock = stream.clock;
  item.record->at = steady_clock::now();
  item.record->done = true;
  stream.queue.pop_front();
  stream.busy = false;
  changed_.notify_all();
}

void Gpus::perform(std::unique_lock<std::mutex>& lock, CUstream_st& stream, Item& item) {
  Device& device = *stream.device;
  const Work& work = item.work;
  ++running_;
  const auto begin = steady_clock::now();
  try {
    check_ranges(device, work);
    if (kChecked) RaceChecker::begin_work(device, work, stream.number, stream.time, stream.clock);
    if (!work.waits_for_others) device.running = true;
    lock.unlock();
    work.run();
    lock.lock();
    if (kChecked && RaceChecker::end_work() > 0) {
      throw Failure{CUDA_ERROR_LAUNCH_FAILED, work.name + " raced, see above"};
    }
  } catch (const Failure& failure) {
    if (!lock.owns_lock()) lock.lock();
    device.error = failure.error;
    say(failure.message);
  } catch (const std::exception& error) {
    if (!lock.owns_lock()) lock.lock();
    device.error = CUDA_ERROR_LAUNCH_FAILED;
    say("{}: {}", work.name, error.what());
  }
  if (kChecked) RaceChecker::end_work();
  if (!work.waits_for_others) device.running = false;
  --running_;
  if (!work.counts_itself) {
    Counts counts{.launches = 1};
    for (const Range& range : work.ranges) (range.written ? counts.bytes_written : counts.bytes_read) += range.bytes;
    counts.distinct_read = counts.bytes_read;
    counts.distinct_written = counts.bytes_written;
    count(work.name, counts);
  }
  count_time(work.name, steady_clock::now() - begin);
}

void Gpus::check_ranges(const Device& device, const Work& work) const {
  for (const Range& range : work.ranges) {
    const auto address = reinterpret_cast<uintptr_t>(range.begin);
    if (range.bytes == 0 || device.memory.contains(address, range.bytes)) continue;
    throw Failure{CUDA_ERROR_ILLEGAL_ADDRESS,
                  fmt::format("{} {} {} bytes from {}", work.name, range.written ? "writes" : "reads", range.bytes,
                              device.memory.describe(address))};
  }
}

// A real GPU works while nobody waits for it. That matters where other ranks wait for what this one has queued: a
// thread of each device runs such work after a while if nobody else does.
void Gpus::run_for_others(Device& device) {
  std::unique_lock lock(mutex);
  for (;;) {
    const auto patience = std::chrono::milliseconds(settings().patience);
    changed_.wait_for(lock, patience);
    std::shared_ptr<Record> record;
    for (const auto& stream : streams_) {
      if (stream->device != &device || stream->busy) continue;
      for (const Item& item : stream->queue) {
        if (!item.work.waits_for_others || steady_clock::now() - item.queued < patience) continue;
        record = item.record;
        break;
      }
    }
    if (record) run_until(lock, device, {record.get()}, [&] { return record->done; });
  }
}

}  // namespace emulated
