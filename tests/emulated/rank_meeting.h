// SPDX-License-Identifier: Apache-2.0
// RankMeeting is a piece of shared memory through which ranks, processes of this machine or threads of one, exchange
// blocks of bytes. Every rank puts a block, waits until all have, and reads all of them.
//
// There are two sets of blocks that take turns, so one wait per round is enough: who has come to round i + 1 has read
// all of round i, and the set of round i is written again only in round i + 2, after the wait of round i + 1.
// Nobody holds a lock: a rank that dies leaves the others waiting until they are told to stop, and never stuck.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace emulated {

// What a rank says of the collective it is in, for all to compare. Bytes are compared: there is no padding.
struct Call {
  int64_t number;  // of the communicator's calls, from 0
  int64_t count;
  int32_t kind, type, operation, root;
};

class RankMeeting {
 public:
  static constexpr size_t kBlock = 256 << 10;  // bytes

  static std::string new_name();  // that nobody else has
  static bool is_name(const std::string& text);

  // Waits until all ranks have joined; the name is free again then. Throws std::runtime_error with what is wrong.
  RankMeeting(const std::string& name, int ranks, int rank);
  ~RankMeeting();
  RankMeeting(const RankMeeting&) = delete;
  RankMeeting& operator=(const RankMeeting&) = delete;

  int ranks() const { return ranks_; }
  int rank() const { return rank_; }

  // A round: write block(rank()), meet, read what all have put and say, next_round.
  std::byte* block(int rank) const;
  const Call& call(int rank) const;
  // Returns false if stop() has been called, by any thread of this rank.
  bool meet(const Call& call);
  void next_round() { ++round_; }
  void stop();
  bool stopped() const { return stopped_; }

 private:
  struct Slot;
  struct Shared;
  size_t parity() const { return round_ % 2; }

  int ranks_, rank_;
  size_t bytes_;
  Shared* shared_ = nullptr;
  uint64_t round_ = 0;
  std::atomic<bool> stopped_ = false;
};

}  // namespace emulated
