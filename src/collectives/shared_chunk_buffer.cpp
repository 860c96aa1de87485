// SPDX-License-Identifier: Apache-2.0
#include "collectives/shared_chunk_buffer.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <new>

namespace verbund {
namespace {

constexpr size_t kLine = 64;  // of the cache
constexpr size_t kPage = 4096;

size_t rounded_up(size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

}  // namespace

struct SharedChunkBuffer::Head {
  std::atomic<uint32_t> events, sleepers;
  alignas(kLine) std::atomic<uint64_t> finished[kMaxInFlight];  // by place: its last finished chunk, plus 1
};

struct alignas(kLine) SharedChunkBuffer::Progress {
  std::atomic<uint64_t> chunks;
};

SharedChunkBuffer::SharedChunkBuffer()
    : SharedChunkBuffer({static_cast<std::byte*>(::operator new(bytes_for(1), std::align_val_t(kPage))),
                         [](std::byte* memory) { ::operator delete(memory, std::align_val_t(kPage)); }},
                        1, 0) {
  new (head_) Head{};
  new (entered_) Progress{};
}

// The memory is zero, as atomic numbers start.
SharedChunkBuffer::SharedChunkBuffer(std::shared_ptr<std::byte> memory, int workers, int self)
    : memory_(std::move(memory)),
      workers_(workers),
      self_(self),
      head_(reinterpret_cast<Head*>(memory_.get())),
      entered_(reinterpret_cast<Progress*>(memory_.get() + sizeof(Head))),
      places_(reinterpret_cast<float*>(memory_.get() +
                                       rounded_up(sizeof(Head) + static_cast<size_t>(workers) * sizeof(Progress)))) {
  static_assert(std::atomic<uint64_t>::is_always_lock_free && std::atomic<uint32_t>::is_always_lock_free);
}

size_t SharedChunkBuffer::bytes_for(int workers) {
  const size_t head = rounded_up(sizeof(Head) + static_cast<size_t>(workers) * sizeof(Progress));
  return workers == 1 ? head : head + static_cast<size_t>(workers + 1) * kMaxInFlight * kChunk * sizeof(float);
}

float* SharedChunkBuffer::values_of(int worker, size_t chunk) const {
  return places_ + (static_cast<size_t>(worker) * kMaxInFlight + chunk % kMaxInFlight) * kChunk;
}

float* SharedChunkBuffer::result(size_t chunk) const { return values_of(workers_, chunk); }

void SharedChunkBuffer::enter(size_t chunk) {
  entered_[self_].chunks.store(chunk + 1, std::memory_order_release);
  notify();
}

bool SharedChunkBuffer::all_entered(size_t chunk) const {
  for (int worker = 0; worker < workers_; ++worker) {
    if (entered_[worker].chunks.load(std::memory_order_acquire) <= chunk) return false;
  }
  return true;
}

void SharedChunkBuffer::finish(size_t chunk) {
  head_->finished[chunk % kMaxInFlight].store(chunk + 1, std::memory_order_release);
  notify();
}

bool SharedChunkBuffer::is_finished(size_t chunk) const {
  return head_->finished[chunk % kMaxInFlight].load(std::memory_order_acquire) > chunk;
}

uint32_t SharedChunkBuffer::events() const { return head_->events.load(); }

void SharedChunkBuffer::notify() const {
  if (!is_shared()) return;
  head_->events.fetch_add(1);
  if (head_->sleepers.load() > 0) syscall(SYS_futex, &head_->events, FUTEX_WAKE, INT32_MAX, nullptr, nullptr, 0);
}

void SharedChunkBuffer::wait(uint32_t events, std::chrono::nanoseconds longest) const {
  const timespec time = {static_cast<time_t>(longest.count() / 1'000'000'000), longest.count() % 1'000'000'000};
  head_->sleepers.fetch_add(1);
  syscall(SYS_futex, &head_->events, FUTEX_WAIT, events, &time, nullptr, 0);
  head_->sleepers.fetch_sub(1);
}

}  // namespace verbund
