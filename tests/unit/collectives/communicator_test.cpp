// SPDX-License-Identifier: Apache-2.0
#include "collectives/communicator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <mutex>
#include <numeric>

#include "collectives/chunks.h"
#include "collectives/host_layout.h"
#include "core/error.h"
#include "support/communicator_checks.h"
#include "support/expect_error.h"
#include "support/thread_workers.h"

namespace verbund {
namespace {

using communicator_checks::random_values;
using ::testing::HasSubstr;

// Workers on hosts.
class WithWorkers : public ::testing::TestWithParam<std::vector<int>> {
 protected:
  int workers() const { return std::accumulate(GetParam().begin(), GetParam().end(), 0); }
  void run(const std::function<void(Communicator&)>& work) {
    run_on_hosts(GetParam(), [&](Workers& workers) { workers.start("test", work).get(); });
  }
};
INSTANTIATE_TEST_SUITE_P(Workers, WithWorkers,
                         ::testing::Values(std::vector{1}, std::vector{2}, std::vector{1, 1}, std::vector{3},
                                           std::vector{2, 1}, std::vector{1, 2}, std::vector{1, 1, 1}, std::vector{4},
                                           std::vector{2, 2}, std::vector{1, 3}, std::vector{3, 1},
                                           std::vector{1, 2, 1}, std::vector{1, 1, 1, 1}, std::vector{5},
                                           std::vector{2, 3}, std::vector{3, 3}, std::vector{2, 2, 2}));

TEST_P(WithWorkers, SumsAndLargestNumbers) { run(communicator_checks::sums_and_largest_numbers); }
TEST_P(WithWorkers, SumsOfNumbersHaveTheBitsOfAddingByRank) {
  run(communicator_checks::sums_of_numbers_have_the_bits_of_adding_by_rank);
}
TEST_P(WithWorkers, TextsOfAllLengths) { run(communicator_checks::texts_of_all_lengths); }
TEST_P(WithWorkers, SumsOfBuffersHaveTheBitsOfSummingInOrder) {
  run(communicator_checks::sums_of_buffers_have_the_bits_of_summing_in_order);
}
TEST_P(WithWorkers, OwnersGetTheSameSumsAndShareThem) {
  run(communicator_checks::owners_get_the_same_sums_and_share_them);
}
TEST_P(WithWorkers, FewerBitsOnTheWireAreNearAndTheSameEverywhere) {
  run(communicator_checks::fewer_bits_on_the_wire_are_near_and_the_same_everywhere);
}
TEST_P(WithWorkers, BroadcastsGathersAndScatters) { run(communicator_checks::broadcasts_gathers_and_scatters); }

// Eight bits are coarse, but what is rounded away comes later: the sum of many steps is right to within one step's
// rounding.
TEST_P(WithWorkers, ErrorFeedbackMakesTheSumOfManyStepsRight) {
  constexpr int kSteps = 50;
  constexpr size_t kValues = 3 * kChunk + 123;
  // A small value beside a large one: rounded by itself, it would be nothing in every step.
  const auto gradient = [](int rank) {
    std::vector<float> values = random_values(kValues, static_cast<uint64_t>(rank));
    for (size_t i = 1; i < kValues; i += 2) values[i] *= 3e-3f;
    for (size_t i = 0; i < kValues; i += kWireBlock) values[i] = 5;
    return values;
  };
  const double step_of_parts = 5 * 1.1 / 127 * workers();  // a host's part is at most that of all workers
  std::vector<double> exact(kValues);
  for (int rank = 0; rank < workers(); ++rank) {
    const std::vector<float> values = gradient(rank);
    for (size_t i = 0; i < kValues; ++i) exact[i] += kSteps * static_cast<double>(values[i]);
  }
  for (const bool sharded : {false, true}) {
    std::vector<std::vector<double>> sums(static_cast<size_t>(workers()));
    run([&](Communicator& all) {
      const std::vector<float> own = gradient(all.rank());
      std::vector<double>& sum = sums[static_cast<size_t>(all.rank())];
      sum.resize(kValues);
      ErrorFeedback feedback;
      for (int step = 0; step < kSteps; ++step) {
        std::vector<float> buffer = own;
        const Interval cut = {0,
                              (1 + static_cast<size_t>(step) % 3) * kChunk};  // buckets of other sizes change nothing
        for (const Interval interval : {cut, Interval{cut.end, kValues}}) {
          const Rounding rounding(Wire::kInt8, &feedback);
          sharded ? all.reduce_scatter(buffer, interval, rounding) : all.all_reduce(buffer, interval, rounding);
        }
        if (sharded) all.all_gather(buffer, {0, kValues}, Wire::kFp32);
        for (size_t i = 0; i < kValues; ++i) sum[i] += static_cast<double>(buffer[i]);
      }
    });
    for (const auto& sum : sums) EXPECT_TRUE(sum == sums[0]);
    double worst = 0;
    for (size_t i = 0; i < kValues; ++i) worst = std::max(worst, std::abs(sums[0][i] - exact[i]));
    // What all the parts and the total still owe is half a step each, at most.
    EXPECT_LE(worst, step_of_parts * static_cast<double>(GetParam().size() + 1)) << (sharded ? "sharded" : "");
    EXPECT_EQ(worst > 1e-3, GetParam().size() > 1);
  }
}

// A host with one part of the order of addition sends 2 (h-1)/h of a buffer, whatever the number of its workers.
TEST_P(WithWorkers, AHostSendsWhatTheoryAsksFor) {
  const auto hosts = static_cast<double>(GetParam().size());
  std::vector<std::string> host_of;
  for (size_t host = 0; host < GetParam().size(); ++host) {
    for (int i = 0; i < GetParam()[host]; ++i) host_of.push_back(std::to_string(host));
  }
  const HostLayout layout(host_of);
  const size_t size = 24 * kChunk;
  std::mutex mutex;
  std::vector<double> sent(GetParam().size());
  run([&](Communicator& all) {
    std::vector<float> buffer(size);
    const uint64_t before = all.bytes_sent();
    all.all_reduce(buffer, {0, size}, Wire::kFp32);
    const std::lock_guard lock(mutex);
    sent[static_cast<size_t>(layout.host_of(all.rank()))] += static_cast<double>(all.bytes_sent() - before);
  });
  for (size_t host = 0; host < sent.size(); ++host) {
    const double gradients = sent[host] / static_cast<double>(size * sizeof(float));
    const bool one_part = layout.parts_of(static_cast<int>(host)).size() == 1;
    const double least = 2 * (hosts - 1) / hosts;
    EXPECT_LE(gradients, one_part ? least + 1e-9 : 2);
    EXPECT_GE(gradients, 0.5 * least) << "some sum less for the others than others do, but all send";
  }
}

TEST(Workers, NamesTheOnesThatDiffer) {
  EXPECT_ERROR(
      run_as_workers(3, [](Workers& workers) { workers.must_agree("the dataset", workers.rank() == 1 ? "B" : "A"); }),
      Error, HasSubstr("the dataset"), HasSubstr("2 "), HasSubstr(" A,"), HasSubstr("worker 1 on"), HasSubstr(": B"));
}

TEST(Workers, AFailureOfOneEndsTheOthers) {
  EXPECT_ERROR(run_as_workers(3,
                              [](Workers& workers) {
                                if (workers.rank() == 2) fail("worker 2 has failed");
                                workers.comm().barrier();
                              }),
               Error, HasSubstr("failed"));
}

TEST(Workers, AloneNeedsNobody) {
  Workers alone;
  double values[] = {3, 4};
  alone.comm().sum(values);
  EXPECT_EQ(values[1], 4);
  EXPECT_EQ(alone.comm().gather("x"), std::vector<std::string>{"x"});
  EXPECT_EQ(alone.bytes_sent(), 0u);
}

}  // namespace
}  // namespace verbund
