// SPDX-License-Identifier: Apache-2.0
// Threads as workers of two hosts open their control channel.
#include "control/rendezvous.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "collectives/hierarchical_communicator.h"
#include "core/error.h"
#include "core/json.h"
#include "support/thread_transport.h"
#include "unit/control/made_network.h"

namespace verbund {
namespace {

// To one worker the ports of another seem to be elsewhere, where nobody listens.
class Misled final : public Rendezvous {
 public:
  Misled(Rendezvous& right, int who, size_t about) : right_(right), misleads_(right.rank() == who), about_(about) {}
  int rank() const override { return right_.rank(); }
  std::vector<std::string> gather(const std::string& own) override {
    std::vector<std::string> all = right_.gather(own);
    if (misleads_ && ++round_ == 2) {
      Json invitation = parse_json(all[about_]);
      for (auto& endpoint : invitation.at("endpoints")) endpoint.at(1) = 1;
      all[about_] = dump_json(invitation);
    }
    return all;
  }

 private:
  Rendezvous& right_;
  const bool misleads_;
  const size_t about_;
  int round_ = 0;
};

const std::vector<Worker> kSix = workers_on({"a", "a", "a", "b", "b", "b"});

struct Opened {
  std::vector<std::vector<size_t>> connected = std::vector<std::vector<size_t>>(kSix.size());  // by rank
  std::vector<std::string> errors = std::vector<std::string>(kSix.size());
};

Opened open_all(int misled = -1, size_t about = 0) {
  ThreadWorld world(static_cast<int>(kSix.size()));
  Opened opened;
  std::vector<std::thread> threads;
  for (size_t rank = 0; rank < kSix.size(); ++rank) {
    threads.emplace_back([&, rank] {
      HierarchicalCommunicator communicator(world.transport(static_cast<int>(rank)));
      Misled rendezvous(communicator, misled, about);
      try {
        const ControlSockets sockets = open_control_sockets(rendezvous, kSix, "", {.together = 2});
        for (size_t other = 0; other < kSix.size(); ++other) {
          if (sockets.by_rank[other].is_open()) opened.connected[rank].push_back(other);
        }
      } catch (const Error& error) {
        EXPECT_EQ(error.exit_code(), kExitLostWorker);
        opened.errors[rank] = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return opened;
}

TEST(OpenControlSockets, ConnectsEachWithItsParent) {
  const Opened opened = open_all();
  EXPECT_THAT(opened.errors, ::testing::Each(""));
  EXPECT_THAT(opened.connected,
              ::testing::ElementsAre(std::vector<size_t>{1, 2, 3}, std::vector<size_t>{0}, std::vector<size_t>{0},
                                     std::vector<size_t>{0, 4, 5}, std::vector<size_t>{3}, std::vector<size_t>{3}));
}

void expect_all_miss(const Opened& opened, const std::string& one, const std::string& parent) {
  for (const std::string& error : opened.errors) {
    EXPECT_THAT(error, ::testing::StartsWith("lost " + one + " before the start: could not connect to " + parent));
    EXPECT_THAT(error, ::testing::Not(::testing::HasSubstr(";"))) << "nobody else";
  }
}

TEST(OpenControlSockets, AChildThatDoesNotComeIsNamedByAll) {
  expect_all_miss(open_all(4, 3), "worker 4 on b", "worker 3 on b");
}

// Its children have waited for it longer than it has tried.
TEST(OpenControlSockets, ALeaderThatDoesNotComeIsNamedAndNotItsChildren) {
  expect_all_miss(open_all(3, 0), "worker 3 on b", "worker 0 on a");
}

TEST(OpenControlSockets, NorDoesOneOfItsOwnHost) { expect_all_miss(open_all(2, 0), "worker 2 on a", "worker 0 on a"); }

}  // namespace
}  // namespace verbund
