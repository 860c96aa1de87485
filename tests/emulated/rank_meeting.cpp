// SPDX-License-Identifier: Apache-2.0
#include "emulated/rank_meeting.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <climits>
#include <cstring>
#include <random>
#include <stdexcept>

namespace emulated {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kJoinLimit{300};
constexpr const char* kPrefix = "/verbund-emulated-nccl-";

[[noreturn]] void fail_system(const std::string& what) {
  throw std::runtime_error(fmt::format("{}: {}", what, std::strerror(errno)));
}

}  // namespace

struct RankMeeting::Slot {
  std::atomic<uint32_t> taken;
  std::atomic<uint64_t> round;  // that this rank has come to
  Call calls[2];
};

struct RankMeeting::Shared {
  std::atomic<uint32_t> ranks;  // 0: nobody has come yet
  std::atomic<uint32_t> joined;
  std::atomic<uint32_t> changes;  // a futex: whoever waits, waits for this to change
  Slot slots[64];

  void wake() {
    changes.fetch_add(1);
    ::syscall(SYS_futex, &changes, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
  }
  // The limit is for whoever dies between his change and the call to wake.
  void wait(uint32_t seen) {
    const timespec limit{0, 20'000'000};
    ::syscall(SYS_futex, &changes, FUTEX_WAIT, seen, &limit, nullptr, 0);
  }
};

std::string RankMeeting::new_name() {
  static std::atomic<int> count = 0;
  std::random_device random;
  return fmt::format("{}{}-{}-{:08x}", kPrefix, ::getpid(), count++, random());
}

bool RankMeeting::is_name(const std::string& text) {
  return text.starts_with(kPrefix) && text.find('/', 1) == std::string::npos;
}

RankMeeting::RankMeeting(const std::string& name, int ranks, int rank) : ranks_(ranks), rank_(rank) {
  static_assert(std::atomic<uint64_t>::is_always_lock_free, "shared between processes");
  bytes_ = sizeof(Shared) + 2 * static_cast<size_t>(ranks) * kBlock;
  const int file = ::shm_open(name.c_str(), O_RDWR | O_CREAT, 0600);
  if (file < 0) fail_system("cannot open shared memory " + name);
  // Fresh memory is zero, and growing it to the same size again changes nothing.
  void* memory = MAP_FAILED;
  if (::ftruncate(file, static_cast<off_t>(bytes_)) == 0) {
    memory = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  }
  ::close(file);
  if (memory == MAP_FAILED) fail_system(fmt::format("cannot map {} bytes of shared memory {}", bytes_, name));
  shared_ = static_cast<Shared*>(memory);

  const auto leave = [&](const std::string& why) {
    ::munmap(memory, bytes_);
    throw std::runtime_error(why);
  };
  uint32_t expected = 0;
  if (!shared_->ranks.compare_exchange_strong(expected, static_cast<uint32_t>(ranks)) &&
      expected != static_cast<uint32_t>(ranks)) {
    leave(fmt::format("rank {} says there are {} ranks, but another says {}", rank, ranks, expected));
  }
  if (shared_->slots[rank].taken.exchange(1) != 0) leave(fmt::format("there are two ranks {}", rank));
  shared_->joined.fetch_add(1);
  shared_->wake();
  const auto limit = Clock::now() + kJoinLimit;
  for (;;) {
    const uint32_t seen = shared_->changes;
    const uint32_t joined = shared_->joined;
    if (joined == static_cast<uint32_t>(ranks)) break;
    if (Clock::now() > limit) {
      ::shm_unlink(name.c_str());
      leave(fmt::format("rank {} has waited for {} s: {} of {} ranks have joined", rank, kJoinLimit.count(), joined,
                        ranks));
    }
    shared_->wait(seen);
  }
  ::shm_unlink(name.c_str());  // whoever is first
}

RankMeeting::~RankMeeting() { ::munmap(shared_, bytes_); }

std::byte* RankMeeting::block(int rank) const {
  auto* blocks = reinterpret_cast<std::byte*>(shared_ + 1);
  return blocks + (parity() * static_cast<size_t>(ranks_) + static_cast<size_t>(rank)) * kBlock;
}

const Call& RankMeeting::call(int rank) const { return shared_->slots[rank].calls[parity()]; }

bool RankMeeting::meet(const Call& call) {
  if (stopped_) return false;
  Slot& own = shared_->slots[rank_];
  own.calls[parity()] = call;
  own.round.store(round_ + 1, std::memory_order_release);
  shared_->wake();
  for (int rank = 0; rank < ranks_; ++rank) {
    for (;;) {
      const uint32_t seen = shared_->changes;
      if (shared_->slots[rank].round.load(std::memory_order_acquire) > round_) break;
      if (stopped_) return false;
      shared_->wait(seen);
    }
  }
  return !stopped_;
}

void RankMeeting::stop() {
  stopped_ = true;
  shared_->wake();
}

}  // namespace emulated
