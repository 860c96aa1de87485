#include "comm/communicator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <mutex>
#include <numeric>

#include "comm/chunks.h"
#include "comm/host_layout.h"
#include "core/error.h"
#include "core/random.h"
#include "support/expect_error.h"
#include "support/thread_workers.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<float> random_values(size_t size, uint64_t seed) {
  std::vector<float> values(size);
  for (size_t i = 0; i < size; ++i) {
    values[i] = (static_cast<float>(philox(seed, 0, i)[0]) / 4294967296.0f - 0.5f) * 10;
  }
  return values;
}

// Workers on hosts: numbers that divide nothing, and buffers that end inside a chunk.
class WithWorkers : public ::testing::TestWithParam<std::vector<int>> {
 protected:
  static constexpr size_t kSize = 21 * kChunk + 123;

  int workers() const { return std::accumulate(GetParam().begin(), GetParam().end(), 0); }
  void run(const std::function<void(Communicator&)>& work) {
    run_on_hosts(GetParam(), [&](Workers& workers) { workers.start("test", work).get(); });
  }
  // In the one order of n workers, in fp32: what every worker must get, bit by bit, on whatever hosts they are.
  std::vector<float> expected_sum() const { return sum_of({0, workers()}); }

 private:
  static std::vector<float> sum_of(RankRange ranks) {
    if (ranks.size() == 1) return random_values(kSize, static_cast<uint64_t>(ranks.begin));
    int half = 1;
    while (2 * half < ranks.size()) half *= 2;
    std::vector<float> sum = sum_of({ranks.begin, ranks.begin + half});
    const std::vector<float> others = sum_of({ranks.begin + half, ranks.end});
    for (size_t i = 0; i < kSize; ++i) sum[i] += others[i];
    return sum;
  }
};
INSTANTIATE_TEST_SUITE_P(Workers, WithWorkers,
                         ::testing::Values(std::vector{1}, std::vector{2}, std::vector{1, 1}, std::vector{3},
                                           std::vector{2, 1}, std::vector{1, 2}, std::vector{1, 1, 1}, std::vector{4},
                                           std::vector{2, 2}, std::vector{1, 3}, std::vector{3, 1},
                                           std::vector{1, 2, 1}, std::vector{1, 1, 1, 1}, std::vector{5},
                                           std::vector{2, 3}, std::vector{3, 3}, std::vector{2, 2, 2}));

TEST_P(WithWorkers, SumsAndLargestNumbers) {
  run([&](Communicator& all) {
    std::vector<double> values = {1.0 + all.rank(), -all.rank() * 1.0}, largest = values;
    all.sum(values);
    all.max(largest);
    const int n = all.size();
    EXPECT_THAT(values, ElementsAre(n + n * (n - 1) / 2.0, -n * (n - 1) / 2.0));
    EXPECT_THAT(largest, ElementsAre(n, 0));
    EXPECT_TRUE(all.any(all.rank() == n - 1));
    EXPECT_FALSE(all.any(false));
  });
}

TEST_P(WithWorkers, TextsOfAllLengths) {
  run([&](Communicator& all) {
    const std::vector<std::string> texts = all.gather(std::string(static_cast<size_t>(all.rank() * 1000), 'x'));
    for (size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(texts[i].size(), i * 1000);
    EXPECT_EQ(all.broadcast(all.rank() == 0 ? "leader" : "other"), "leader");
  });
}

TEST_P(WithWorkers, SumsOfBuffersHaveTheBitsOfSummingInOrder) {
  const std::vector<float> expected = expected_sum();
  for (const size_t piece : {kChunk, 3 * kChunk, kSize}) {  // however it is cut
    run([&](Communicator& all) {
      std::vector<float> buffer = random_values(kSize, static_cast<uint64_t>(all.rank()));
      for (size_t begin = 0; begin < kSize; begin += piece) {
        const Interval part = {begin, std::min(begin + piece, kSize)};
        all.all_reduce(buffer, part, Wire::kFp32);
      }
      EXPECT_TRUE(buffer == expected);
    });
  }
}

TEST_P(WithWorkers, OwnersGetTheSameSumsAndShareThem) {
  const std::vector<float> expected = expected_sum();
  run([&](Communicator& all) {
    std::vector<float> buffer = random_values(kSize, static_cast<uint64_t>(all.rank()));
    for (const Interval part : {Interval{0, 5 * kChunk}, Interval{5 * kChunk, kSize}}) {
      all.reduce_scatter(buffer, part, Wire::kFp32);
    }
    for (const Interval own : owned_by(all.rank(), all.size(), kSize)) {
      EXPECT_TRUE(std::equal(buffer.begin() + static_cast<long>(own.begin), buffer.begin() + static_cast<long>(own.end),
                             expected.begin() + static_cast<long>(own.begin)));
    }
    all.all_gather(buffer, {0, kSize}, Wire::kFp32);
    EXPECT_TRUE(buffer == expected);
  });
}

TEST_P(WithWorkers, FewerBitsOnTheWireAreNearAndTheSameEverywhere) {
  const std::vector<float> expected = expected_sum();
  for (const auto& [wire, step] :
       {std::pair(Wire::kBf16, 0x1p-8), std::pair(Wire::kFp16, 0x1p-11), std::pair(Wire::kInt8, 0x1p-7)}) {
    std::vector<std::vector<float>> results(static_cast<size_t>(workers()));
    run([&, wire = wire](Communicator& all) {
      std::vector<float> buffer = random_values(kSize, static_cast<uint64_t>(all.rank()));
      all.all_reduce(buffer, {0, kSize}, wire);
      results[static_cast<size_t>(all.rank())] = buffer;
    });
    for (const auto& result : results) EXPECT_TRUE(result == results[0]);
    double worst = 0;
    for (size_t i = 0; i < kSize; ++i)
      worst = std::max(worst, static_cast<double>(std::abs(results[0][i] - expected[i])));
    EXPECT_LE(worst, 5.0 * 2 * workers() * step);  // each value is rounded once, the sum once more
    EXPECT_EQ(worst > 0, GetParam().size() > 1);   // within a host nothing is rounded
  }
}

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
        for (const Interval piece : {cut, Interval{cut.end, kValues}}) {
          const Rounding rounding(Wire::kInt8, &feedback);
          sharded ? all.reduce_scatter(buffer, piece, rounding) : all.all_reduce(buffer, piece, rounding);
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
    EXPECT_LE(gradients, one_part ? 2 * (hosts - 1) / hosts + 1e-9 : 2);
  }
}

TEST_P(WithWorkers, BroadcastsGathersAndScatters) {
  run([&](Communicator& all) {
    const std::vector<float> truth = random_values(kSize, 99);
    std::vector<float> buffer = all.rank() == 0 ? truth : std::vector<float>(kSize);
    all.broadcast(buffer);
    EXPECT_EQ(buffer, truth);

    std::vector<float> own;
    for (const Interval piece : owned_by(all.rank(), all.size(), kSize)) {
      own.insert(own.end(), truth.begin() + static_cast<long>(piece.begin),
                 truth.begin() + static_cast<long>(piece.end));
    }
    std::vector<float> whole(all.rank() == 0 ? kSize : 0), scattered(own.size());
    all.gather_shards(own, whole, kSize);
    if (all.rank() == 0) {
      EXPECT_EQ(whole, truth);
    }
    all.scatter_shards(whole, scattered, kSize);
    EXPECT_EQ(scattered, own);
  });
}

TEST(Workers, NamesTheOnesThatDiffer) {
  EXPECT_ERROR(
      run_as_workers(3, [](Workers& workers) { workers.must_agree("the dataset", workers.rank() == 1 ? "B" : "A"); }),
      Error, HasSubstr("the dataset differs"), HasSubstr("2 of them have A"), HasSubstr("worker 1 on"),
      HasSubstr(": B"));
}

TEST(Workers, AFailureOfOneEndsTheOthers) {
  EXPECT_ERROR(run_as_workers(3,
                              [](Workers& workers) {
                                if (workers.rank() == 2) fail("worker 2 has had enough");
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
