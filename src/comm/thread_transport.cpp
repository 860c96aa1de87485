#include "comm/thread_transport.h"

#include <cstring>

#include "core/error.h"

namespace verbund {

class ThreadWorld::End final : public Transport {
 public:
  End(ThreadWorld& world, int rank) : world_(world), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return world_.size_; }
  std::shared_ptr<Inbox> shared_inbox() const override { return world_.inbox_; }

  void exchange(std::span<const Outgoing> sends, std::span<const Incoming> receives) override {
    std::unique_lock lock(world_.mutex_);
    for (const Outgoing& message : sends) {
      world_.box(rank_, message.to).emplace_back(message.data.begin(), message.data.end());
    }
    if (!sends.empty()) world_.changed_.notify_all();
    for (const Incoming& message : receives) {
      std::deque<Bytes>& box = world_.box(message.from, rank_);
      world_.changed_.wait(lock, [&] { return world_.abandoned_ || !box.empty(); });
      if (box.empty()) fail("another worker has failed");
      if (box.front().size() != message.data.size()) {
        fail("worker {} waits for {} bytes of worker {}, who sent {}", rank_, message.data.size(), message.from,
             box.front().size());
      }
      if (!message.data.empty()) std::memcpy(message.data.data(), box.front().data(), message.data.size());
      box.pop_front();
    }
  }

 private:
  ThreadWorld& world_;
  int rank_;
};

std::unique_ptr<Transport> ThreadWorld::transport(int rank) { return std::make_unique<End>(*this, rank); }

void ThreadWorld::abandon() {
  const std::lock_guard lock(mutex_);
  abandoned_ = true;
  changed_.notify_all();
}

}  // namespace verbund
