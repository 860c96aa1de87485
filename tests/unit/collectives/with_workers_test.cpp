// SPDX-License-Identifier: Apache-2.0
// Run alone it is one worker; tests/mpi/messages_test.py runs it with several processes.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "collectives/workers.h"
#include "support/communicator_checks.h"

namespace verbund {
namespace {

std::vector<std::byte> message_of(int rank, int number) {
  return std::vector<std::byte>(static_cast<size_t>(1000 * rank + number), static_cast<std::byte>(number));
}

TEST(WithWorkersOfTheProgram, MessagesArriveAndClocksAgree) {
  constexpr int kCount = 100;
  std::map<int, int> received;  // messages, by rank
  with_workers([&](Workers& all) {
    all.set_handler([&](int rank, std::span<const std::byte> message, uint64_t dropped) {
      const std::vector<std::byte> expected = message_of(rank, received[rank]++);
      EXPECT_TRUE(std::equal(message.begin(), message.end(), expected.begin(), expected.end()));
      EXPECT_EQ(dropped, 0u);
    });
    for (int i = 0; i < kCount; ++i) EXPECT_TRUE(all.post(message_of(all.rank(), i)));
    all.flush();
    for (int rank = 0; all.leads() && rank < all.size(); ++rank) EXPECT_EQ(received[rank], kCount) << rank;
    all.set_handler({});

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

TEST(WithWorkersOfTheProgram, HaveACommunicatorThatPassesItsTests) {
  with_workers([](Workers& all) {
    namespace checks = communicator_checks;
    for (auto* const check :
         {checks::sums_and_largest_numbers, checks::sums_of_numbers_have_the_bits_of_adding_by_rank,
          checks::texts_of_all_lengths, checks::sums_of_buffers_have_the_bits_of_summing_in_order,
          checks::owners_get_the_same_sums_and_share_them,
          checks::fewer_bits_on_the_wire_are_near_and_the_same_everywhere, checks::broadcasts_gathers_and_scatters}) {
      all.start("test", check).get();
      check(all.comm());  // as any thread sees it
    }
    if (all.leads()) fmt::print("checked {} workers on {} hosts\n", all.size(), all.comm().layout().hosts());
  });
}

}  // namespace
}  // namespace verbund
