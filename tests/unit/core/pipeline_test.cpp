// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

namespace verbund {
namespace {

auto count_to(int limit) {
  return [i = 0, limit]() mutable { return i < limit ? std::optional<int>(i++) : std::nullopt; };
}

TEST(Pipeline, KeepsTheOrder) {
  for (const int threads : {1, 2, 5}) {
    std::vector<int> results;
    ordered_pipeline(
        threads, count_to(1000),
        [] {
          return [](int i) {
            if (i % 7 == 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
            return i * i;
          };
        },
        [&](int result) { results.push_back(result); });
    ASSERT_EQ(results.size(), 1000u);
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(results[static_cast<size_t>(i)], i * i);
  }
}

TEST(Pipeline, NothingToDo) {
  ordered_pipeline(
      2, count_to(0), [] { return [](int i) { return i; }; }, [](int) { FAIL(); });
}

TEST(Pipeline, OnlyAFewAreUnderWay) {
  std::atomic<int> produced = 0, consumed = 0, most = 0;
  ordered_pipeline(
      2,
      [&] {
        most = std::max(most.load(), produced - consumed);
        return produced < 500 ? std::optional<int>(produced++) : std::nullopt;
      },
      [] { return [](int i) { return i; }; }, [&](int) { ++consumed; });
  EXPECT_EQ(consumed, 500);
  EXPECT_LE(most, 2 * 2 + 2 + 2);
}

TEST(Pipeline, EveryErrorReachesTheCaller) {
  const auto identity = [] { return [](int i) { return i; }; };
  const auto ignore = [](int) {};
  EXPECT_THROW(
      ordered_pipeline(
          2, [i = 0]() mutable -> std::optional<int> { return i++ < 5 ? i : throw std::runtime_error("produce"); },
          identity, ignore),
      std::runtime_error);
  EXPECT_THROW(ordered_pipeline(
                   2, count_to(100),
                   [] { return [](int i) { return i == 50 ? throw std::runtime_error("transform") : i; }; }, ignore),
               std::runtime_error);
  EXPECT_THROW(ordered_pipeline(2, count_to(100), identity,
                                [](int i) {
                                  if (i == 50) throw std::runtime_error("consume");
                                }),
               std::runtime_error);
}

}  // namespace
}  // namespace verbund
