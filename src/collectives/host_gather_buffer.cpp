// SPDX-License-Identifier: Apache-2.0
#include "collectives/host_gather_buffer.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <cstring>
#include <new>

namespace verbund {

// Both numbers wrap around.
struct HostGatherBuffer::Head {
  alignas(64) std::atomic<uint32_t> posted;  // by all workers, in all rounds
  std::atomic<uint32_t> leader_sleeps;
  alignas(64) std::atomic<uint32_t> published;  // the last round that has its answer
  std::atomic<uint32_t> others_sleep;
};

namespace {

constexpr size_t kHeadBytes = 4096;
constexpr std::align_val_t kAligned{4096};

void sleep_while(const std::atomic<uint32_t>& number, uint32_t value, std::atomic<uint32_t>& sleepers,
                 std::chrono::nanoseconds longest) {
  const timespec time = {static_cast<time_t>(longest.count() / 1'000'000'000), longest.count() % 1'000'000'000};
  sleepers.fetch_add(1);
  syscall(SYS_futex, &number, FUTEX_WAIT, value, &time, nullptr, 0);
  sleepers.fetch_sub(1);
}

void wake(const std::atomic<uint32_t>& number, const std::atomic<uint32_t>& sleepers) {
  if (sleepers.load() > 0) syscall(SYS_futex, &number, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace

HostGatherBuffer::HostGatherBuffer()
    : HostGatherBuffer({static_cast<std::byte*>(std::memset(::operator new(bytes_for(1), kAligned), 0, bytes_for(1))),
                        [](std::byte* memory) { ::operator delete(memory, kAligned); }},
                       1, 0) {}

HostGatherBuffer::HostGatherBuffer(std::shared_ptr<std::byte> memory, int workers, int self)
    : memory_(std::move(memory)),
      workers_(static_cast<uint32_t>(workers)),
      self_(self),
      head_(reinterpret_cast<Head*>(memory_.get())) {
  static_assert(sizeof(Head) <= kHeadBytes && std::atomic<uint32_t>::is_always_lock_free);
}

size_t HostGatherBuffer::bytes_for(int workers) { return kHeadBytes + kAnswer + static_cast<size_t>(workers) * kPlace; }

std::span<std::byte> HostGatherBuffer::answer() const { return {memory_.get() + kHeadBytes, kAnswer}; }

std::span<std::byte> HostGatherBuffer::place_of(int worker) const {
  return {memory_.get() + kHeadBytes + kAnswer + static_cast<size_t>(worker) * kPlace, kPlace};
}

void HostGatherBuffer::post() {
  ++round_;
  if (head_->posted.fetch_add(1) + 1 == round_ * workers_) wake(head_->posted, head_->leader_sleeps);
}

bool HostGatherBuffer::all_posted() const { return head_->posted.load() == round_ * workers_; }

void HostGatherBuffer::publish() {
  head_->published.store(round_);
  wake(head_->published, head_->others_sleep);
}

bool HostGatherBuffer::is_published() const { return head_->published.load() == round_; }

void HostGatherBuffer::wait(std::chrono::nanoseconds longest) const {
  if (!leads()) return sleep_while(head_->published, round_ - 1, head_->others_sleep, longest);
  const uint32_t posted = head_->posted.load();
  if (posted != round_ * workers_) sleep_while(head_->posted, posted, head_->leader_sleeps, longest);
}

}  // namespace verbund
