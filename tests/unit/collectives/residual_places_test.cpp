// SPDX-License-Identifier: Apache-2.0
#include "collectives/residual_places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>

#include "core/random.h"
#include "support/thread_workers.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;

constexpr size_t kResidualSize = 13 * kChunk + 45;

// What training does: a gradient that differs by worker and step.
void exchange(Communicator& comm, SumsAt where, int step, std::vector<float>& buffer, ErrorFeedback& feedback) {
  for (size_t i = 0; i < kResidualSize; ++i) {
    buffer[i] =
        static_cast<float>(philox(static_cast<uint64_t>(step), static_cast<uint64_t>(comm.rank()), i)[0] % 1000);
  }
  const Rounding rounding(Wire::kInt8, &feedback);
  where == SumsAt::kOwner ? comm.reduce_scatter(buffer, {0, kResidualSize}, rounding)
                          : comm.all_reduce(buffer, {0, kResidualSize}, rounding);
}

// As a checkpoint has them: worker 0's.
std::vector<std::vector<float>> gather_all(Communicator& comm, const ResidualPlaces& places,
                                           const ErrorFeedback& feedback) {
  std::vector<std::vector<float>> all;
  for (size_t i = 0; i < places.names().size(); ++i) {
    all.emplace_back(comm.rank() == 0 ? kResidualSize : 0);
    places.gather(comm, feedback, i, all.back());
  }
  return all;
}

std::vector<float> sum_of(const std::vector<std::vector<float>>& all) {
  std::vector<float> sum(kResidualSize);
  for (const auto& values : all) {
    for (size_t i = 0; i < kResidualSize; ++i) sum[i] += values[i];
  }
  return sum;
}

const std::vector<std::vector<int>> kLayouts = {{1, 1}, {2, 2}, {1, 3}, {3, 3}, {1, 2, 1}};

TEST(ResidualPlaces, AreNamedByHostAndPart) {
  EXPECT_THAT(ResidualPlaces(HostLayout({"a", "a", "b", "b"}), SumsAt::kAnyHost, kResidualSize).names(),
              ElementsAre("residual.0.0", "residual.1.0"));
  const ResidualPlaces uneven(HostLayout({"a", "b", "b", "b"}), SumsAt::kAnyHost, kResidualSize);
  EXPECT_THAT(uneven.names(), ElementsAre("residual.0.0", "residual.1.0", "residual.1.1"));
  EXPECT_EQ(uneven.description(), "workers 0 | 1 2 3, sums with all");
  EXPECT_EQ(ResidualPlaces(HostLayout({"a", "b"}), SumsAt::kOwner, kResidualSize).description(),
            "workers 0 | 1, sums with owners");
}

TEST(ResidualPlaces, GivenBackTheNextSumsHaveTheSameBits) {
  for (const SumsAt where : {SumsAt::kAnyHost, SumsAt::kOwner}) {
    for (const auto& hosts : kLayouts) {
      run_on_hosts(hosts, [&](Workers& workers) {
        Communicator& comm = workers.comm();
        const ResidualPlaces places(comm.layout(), where, kResidualSize);
        ErrorFeedback feedback, resumed;
        std::vector<float> buffer(kResidualSize), after(kResidualSize);
        for (int step = 0; step < 3; ++step) exchange(comm, where, step, buffer, feedback);
        const std::vector<std::vector<float>> saved = gather_all(comm, places, feedback);
        for (size_t i = 0; i < saved.size(); ++i) places.scatter(comm, saved[i], i, resumed);
        EXPECT_EQ(gather_all(comm, places, resumed), saved);
        for (int step = 3; step < 5; ++step) {
          exchange(comm, where, step, buffer, feedback);
          exchange(comm, where, step, after, resumed);
          EXPECT_TRUE(buffer == after);
        }
      });
    }
  }
}

TEST(ResidualPlaces, TheSumIsKeptOnAnyOtherLayout) {
  std::vector<float> owed;
  run_on_hosts({1, 3}, [&](Workers& workers) {
    const ResidualPlaces places(workers.comm().layout(), SumsAt::kAnyHost, kResidualSize);
    ErrorFeedback feedback;
    std::vector<float> buffer(kResidualSize);
    exchange(workers.comm(), SumsAt::kAnyHost, 0, buffer, feedback);
    const auto saved = gather_all(workers.comm(), places, feedback);
    if (workers.leads()) owed = sum_of(saved);
  });
  EXPECT_NE(owed, std::vector<float>(kResidualSize));
  for (const SumsAt where : {SumsAt::kAnyHost, SumsAt::kOwner}) {
    for (const auto& hosts : kLayouts) {
      run_on_hosts(hosts, [&](Workers& workers) {
        Communicator& comm = workers.comm();
        const ResidualPlaces places(comm.layout(), where, kResidualSize);
        ErrorFeedback feedback;
        places.scatter_sum(comm, workers.leads() ? owed : std::vector<float>(), feedback);
        const auto kept = gather_all(comm, places, feedback);
        if (workers.leads()) {
          EXPECT_EQ(sum_of(kept), owed);
        }
        // And it leaves with the next message: of a gradient of zeros, all comes that 8 bits can tell.
        std::vector<float> buffer(kResidualSize);
        const Rounding rounding(Wire::kInt8, &feedback);
        where == SumsAt::kOwner ? comm.reduce_scatter(buffer, {0, kResidualSize}, rounding)
                                : comm.all_reduce(buffer, {0, kResidualSize}, rounding);
        if (where == SumsAt::kOwner) comm.all_gather(buffer, {0, kResidualSize}, Wire::kFp32);
        for (size_t i = 0; i < kResidualSize && workers.leads(); ++i) ASSERT_NEAR(buffer[i], owed[i], 0.5) << i;
      });
    }
  }
}

}  // namespace
}  // namespace verbund
