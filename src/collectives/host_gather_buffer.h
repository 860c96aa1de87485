// SPDX-License-Identifier: Apache-2.0
// HostGatherBuffer is the shared memory in which the workers of one host show each other a few bytes, in rounds: each
// worker writes into its own place and posts it; when all have posted, the host's first worker, its leader, reads the
// places, writes an answer and publishes it; then all read the answer. A worker posts again only after it has read, so
// nothing is overwritten that somebody still needs, and one place for each is enough.
//
// Sleeping workers are woken once per round: the leader by the last one to post, the others by the answer.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace verbund {

class HostGatherBuffer {
 public:
  static constexpr size_t kPlace = 16 * 1024;   // bytes of each worker
  static constexpr size_t kAnswer = 64 * 1024;  // bytes

  // For a worker that is alone on its host.
  HostGatherBuffer();
  // For several workers: over shared memory of bytes_for(workers) zeros.
  HostGatherBuffer(std::shared_ptr<std::byte> memory, int workers, int self);
  static size_t bytes_for(int workers);

  bool leads() const { return self_ == 0; }
  std::span<std::byte> place_of(int worker) const;
  std::span<std::byte> own_place() const { return place_of(self_); }
  std::span<std::byte> answer() const;

  void post();              // this worker's place, which begins a round
  bool all_posted() const;  // asked by the leader
  void publish();           // by the leader: the answer
  bool is_published() const;

  // Sleeps until the leader sees all posts, or another worker the answer, or for some time.
  void wait(std::chrono::nanoseconds longest) const;

 private:
  struct Head;

  std::shared_ptr<std::byte> memory_;
  uint32_t workers_;
  int self_;
  Head* head_;
  uint32_t round_ = 0;
};

}  // namespace verbund
