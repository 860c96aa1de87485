#include "comm/communicator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "comm/chunks.h"
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

// Worker numbers that divide nothing, and buffers that end inside a chunk.
class WithWorkers : public ::testing::TestWithParam<int> {
 protected:
  static constexpr size_t kSize = 7 * kChunk + 123;

  void run(const std::function<void(Communicator&)>& work) {
    run_as_workers(GetParam(), [&](Workers& workers) { workers.start("test", work).get(); });
  }
  // In the order of ranks, in fp32: what every worker must get, bit by bit.
  std::vector<float> expected_sum() const {
    std::vector<float> sum = random_values(kSize, 0);
    for (int rank = 1; rank < GetParam(); ++rank) {
      const std::vector<float> values = random_values(kSize, static_cast<uint64_t>(rank));
      for (size_t i = 0; i < kSize; ++i) sum[i] += values[i];
    }
    return sum;
  }
};
INSTANTIATE_TEST_SUITE_P(Workers, WithWorkers, ::testing::Values(1, 2, 3, 4, 5));

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
        all.reduce_scatter(buffer, part, Wire::kFp32);
        all.all_gather(buffer, part, Wire::kFp32);
      }
      EXPECT_EQ(buffer, expected);
    });
  }
}

TEST_P(WithWorkers, SixteenBitsOnTheWireAreNearAndTheSameEverywhere) {
  const std::vector<float> expected = expected_sum();
  for (const auto& [wire, step] : {std::pair(Wire::kBf16, 0x1p-8), std::pair(Wire::kFp16, 0x1p-11)}) {
    std::vector<std::vector<float>> results(static_cast<size_t>(GetParam()));
    run([&, wire = wire](Communicator& all) {
      std::vector<float> buffer = random_values(kSize, static_cast<uint64_t>(all.rank()));
      all.reduce_scatter(buffer, {0, kSize}, wire);
      all.all_gather(buffer, {0, kSize}, wire);
      results[static_cast<size_t>(all.rank())] = buffer;
    });
    for (const auto& result : results) EXPECT_EQ(result, results[0]);
    double worst = 0;
    for (size_t i = 0; i < kSize; ++i)
      worst = std::max(worst, static_cast<double>(std::abs(results[0][i] - expected[i])));
    EXPECT_LE(worst, 5.0 * 2 * GetParam() * step);  // each value is rounded once, the sum once more
    if (GetParam() > 1) {
      EXPECT_GT(worst, 0);
    }
  }
}

TEST_P(WithWorkers, AWorkerSendsWhatTheoryAsksFor) {
  run([&](Communicator& all) {
    std::vector<float> buffer(GetParam() * 8 * kChunk);
    const uint64_t before = all.bytes_sent();
    all.reduce_scatter(buffer, {0, buffer.size()}, Wire::kFp32);
    all.all_gather(buffer, {0, buffer.size()}, Wire::kFp32);
    const double n = all.size();
    EXPECT_EQ(static_cast<double>(all.bytes_sent() - before), 2 * (n - 1) / n * static_cast<double>(buffer.size() * 4));
  });
}

TEST_P(WithWorkers, BroadcastsCollectsAndDeals) {
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
    std::vector<float> whole(all.rank() == 0 ? kSize : 0), dealt(own.size());
    all.collect(own, whole, kSize);
    if (all.rank() == 0) {
      EXPECT_EQ(whole, truth);
    }
    all.deal(whole, dealt, kSize);
    EXPECT_EQ(dealt, own);
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
                                workers.barrier();
                              }),
               Error, HasSubstr("failed"));
}

TEST(Workers, AloneNeedsNobody) {
  Workers alone;
  double values[] = {3, 4};
  alone.sum(values);
  EXPECT_EQ(values[1], 4);
  EXPECT_EQ(alone.gather("x"), std::vector<std::string>{"x"});
  EXPECT_EQ(alone.bytes_sent(), 0u);
}

}  // namespace
}  // namespace verbund
