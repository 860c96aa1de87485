// SPDX-License-Identifier: Apache-2.0
// Measurements with threads as workers: all get the same facts, about each pair once in each direction.
#include "doctor/measure.h"
#include "core/json.h"

#include <cmath>
#include <set>

#include "support/thread_workers.h"

namespace verbund {
namespace {

using ::testing::IsEmpty;

TEST(Measure, LinksBetweenSomeOfTheWorkers) {
  run_as_workers(4, [](Workers& workers) {
    const std::vector<LinkFacts> links = measure_links_between(workers, {0, 1, 3});
    ASSERT_EQ(links.size(), 6U);
    for (const LinkFacts& link : links) {
      EXPECT_EQ(link.from, workers.self().host);
      EXPECT_GT(link.round_trip_seconds, 0);
      EXPECT_LT(link.round_trip_seconds, 0.1);
      EXPECT_LT(std::abs(link.clock_offset_seconds), 0.1);  // they share a clock
      EXPECT_GT(link.bytes_per_second, 1e6);
    }
    const std::string own = Json(links).dump();
    EXPECT_EQ(workers.comm().broadcast(own), own);
  });
}

TEST(Measure, WorkersOfOneHostHaveNoLinks) {
  run_as_workers(3, [](Workers& workers) { EXPECT_THAT(measure_links(workers), IsEmpty()); });
}

TEST(Measure, AllReduceIsMeasuredWholeOrInPart) {
  for (const Wire wire : {Wire::kFp32, Wire::kBf16}) {
    run_as_workers(2, [&](Workers& workers) {
      const AllReduceFacts facts = measure_all_reduce(workers, 1000004, wire);
      EXPECT_EQ(facts.workers, 2);
      EXPECT_EQ(facts.bytes, 1000004U);
      EXPECT_EQ(facts.measured_bytes, 1000004U);
      EXPECT_GT(facts.seconds, 0);
      EXPECT_EQ(facts.seconds, workers.comm().max(facts.seconds));  // all know the same
    });
  }
  run_as_workers(2, [](Workers& workers) {
    const AllReduceFacts facts = measure_all_reduce(workers, uint64_t{1} << 40, Wire::kFp32);
    EXPECT_LE(facts.measured_bytes, uint64_t{256} << 20);
    EXPECT_NEAR(facts.seconds_of_all() / facts.seconds, std::ldexp(1.0, 40) / static_cast<double>(facts.measured_bytes),
                1e-6);
  });
}

TEST(Rounds, EveryPairOnceAndNobodyTwiceInARound) {
  for (int count = 0; count <= 9; ++count) {
    std::set<std::pair<int, int>> pairs;
    const std::vector<Round> rounds = rounds_of_pairs(count);
    for (const Round& round : rounds) {
      std::set<int> busy;
      for (const auto& [a, b] : round) {
        EXPECT_LT(a, b);
        EXPECT_LT(b, count);
        EXPECT_TRUE(busy.insert(a).second && busy.insert(b).second);
        EXPECT_TRUE(pairs.emplace(a, b).second);
      }
    }
    EXPECT_EQ(pairs.size(), static_cast<size_t>(count * (count - 1) / 2));
    EXPECT_EQ(rounds.size(), static_cast<size_t>(count < 2 ? 0 : count % 2 == 0 ? count - 1 : count));
  }
}

}  // namespace
}  // namespace verbund
