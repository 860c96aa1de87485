// Run alone it is one worker; tests/mpi/messages_test.py runs it with several processes.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "comm/workers.h"

namespace verbund {
namespace {

std::vector<std::byte> message_of(int rank, int number) {
  return std::vector<std::byte>(static_cast<size_t>(1000 * rank + number), static_cast<std::byte>(number));
}

TEST(WithWorkersOfTheProgram, MessagesArriveAndClocksAgree) {
  constexpr int kCount = 100;
  std::map<int, int> received;  // messages, by rank
  with_workers([&](Workers& all) {
    all.set_receiver([&](int rank, std::span<const std::byte> message, uint64_t dropped) {
      const std::vector<std::byte> expected = message_of(rank, received[rank]++);
      EXPECT_TRUE(std::equal(message.begin(), message.end(), expected.begin(), expected.end()));
      EXPECT_EQ(dropped, 0u);
    });
    for (int i = 0; i < kCount; ++i) EXPECT_TRUE(all.post(message_of(all.rank(), i)));
    all.flush();
    for (int rank = 0; all.leads() && rank < all.size(); ++rank) EXPECT_EQ(received[rank], kCount) << rank;
    all.set_receiver({});

    // Processes of one machine have the same steady clock, so a moment has the same number everywhere.
    using Clock = std::chrono::steady_clock;
    const std::string ticks = all.comm().broadcast(std::to_string(Clock::now().time_since_epoch().count()));
    const Clock::time_point moment{Clock::duration(std::stoll(ticks))};
    const double own = all.run_clock(moment);
    const double bound = all.clock().bound;
    const double leader = std::stod(all.comm().broadcast(fmt::format("{:.9f}", own)));
    EXPECT_LE(std::abs(own - leader), bound + 2e-6) << "worker " << all.rank();
    EXPECT_TRUE(std::isfinite(bound));
    EXPECT_EQ(bound == 0, all.leads());
    if (!all.leads()) fmt::print("clock of worker {}: bound {:.6f} s\n", all.rank(), bound);
  });
}

}  // namespace
}  // namespace verbund
