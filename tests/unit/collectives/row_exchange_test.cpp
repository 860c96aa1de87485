// SPDX-License-Identifier: Apache-2.0
#include "collectives/row_exchange.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <mutex>

#include "collectives/wire.h"
#include "core/random.h"
#include "support/thread_workers.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;

constexpr size_t kRowWidth = 24, kRows = 3000, kBefore = 100;  // values before the table in the buffer
constexpr size_t kTableSize = kBefore + kRows * kRowWidth + 50;
const Lookup kLookup = {{kBefore, kBefore + kRows* kRowWidth}, kRowWidth, true};

// Each row with this probability.
SparseRows random_rows(uint64_t seed, double share) {
  Random random(seed, 0);
  SparseRows rows;
  for (size_t id = 0; id < kRows; ++id) {
    if (random.uniform() >= share) continue;
    rows.ids.push_back(static_cast<int32_t>(id));
    for (size_t i = 0; i < kRowWidth; ++i) {
      rows.values.push_back(static_cast<float>((random.uniform() - 0.5) * std::exp(10 * random.uniform() - 5)));
    }
  }
  return rows;
}

std::vector<float> made_gradients() {
  std::vector<float> gradients(kTableSize);
  for (size_t i = 0; i < kTableSize; ++i) gradients[i] = static_cast<float>(i % 17) * 0.37f;
  return gradients;
}

// Of each worker; and what all of them have sent.
std::vector<std::vector<float>> exchanged(int workers, Wire wire, const std::function<SparseRows(int)>& rows_of,
                                          uint64_t* bytes = nullptr) {
  std::vector<std::vector<float>> results(static_cast<size_t>(workers));
  run_as_workers(workers, [&](Workers& all) {
    RowExchange exchange(kLookup, wire);
    std::vector<float> gradients = made_gradients();
    const uint64_t before = all.bytes_sent();
    all.start("rows", [&](Communicator& comm) { exchange.exchange(comm, rows_of(all.rank())); }).get();
    auto sent = static_cast<double>(all.bytes_sent() - before);
    all.comm().sum({&sent, 1});
    if (bytes != nullptr && all.leads()) *bytes = static_cast<uint64_t>(sent);
    exchange.add_to(gradients);
    results[static_cast<size_t>(all.rank())] = gradients;
    exchange.add_to(gradients);
    EXPECT_EQ(gradients, results[static_cast<size_t>(all.rank())]) << "they are added once";
  });
  return results;
}

// What each worker's rows become on the wire.
SparseRows rounded(SparseRows rows, Wire wire) {
  std::vector<std::byte> message(wire_size(wire, kRowWidth));
  for (size_t i = 0; i < rows.count(); ++i) {
    const std::span<float> row = std::span(rows.values).subspan(i * kRowWidth, kRowWidth);
    encode(wire, row, message.data());
    decode(wire, message.data(), row);
  }
  return rows;
}

TEST(RowExchange, AllHaveTheBitsOfTheTree) {
  for (const Wire wire : {Wire::kFp32, Wire::kBf16, Wire::kFp16}) {
    for (int workers = 1; workers <= 5; ++workers) {
      const auto rows_of = [](int rank) { return random_rows(static_cast<uint64_t>(rank), 0.2 + 0.05 * rank); };
      std::vector<SparseRows> parts;
      for (int rank = 0; rank < workers; ++rank) parts.push_back(rounded(rows_of(rank), wire));
      std::vector<float> expected = made_gradients();
      add_rows(sum_in_tree(parts, kRowWidth), kRowWidth, std::span(expected).subspan(kBefore, kRows * kRowWidth));
      for (const auto& result : exchanged(workers, wire, rows_of)) ASSERT_EQ(result, expected) << workers;
    }
  }
}

TEST(RowExchange, AWorkerMayHaveNoneAndSoMayAll) {
  const auto rows_of = [](int rank) { return rank == 1 ? random_rows(7, 0.1) : SparseRows(); };
  std::vector<float> expected = made_gradients();
  add_rows(rows_of(1), kRowWidth, std::span(expected).subspan(kBefore, kRows * kRowWidth));
  for (const auto& result : exchanged(3, Wire::kFp32, rows_of)) EXPECT_EQ(result, expected);
  for (const auto& result : exchanged(3, Wire::kFp32, [](int) { return SparseRows(); })) {
    EXPECT_EQ(result, made_gradients());
  }
}

TEST(RowExchange, TheWholeTableHasTheSameBits) {
  for (const int workers : {2, 3, 4, 6}) {
    const auto rows_of = [](int rank) { return random_rows(static_cast<uint64_t>(rank), 0.999); };
    ASSERT_FALSE(
        rows_are_less(static_cast<size_t>(workers) * kRows * 99 / 100, kRowWidth, kRows * kRowWidth, Wire::kFp32));
    std::vector<SparseRows> parts;
    for (int rank = 0; rank < workers; ++rank) parts.push_back(rows_of(rank));
    std::vector<float> expected = made_gradients();
    add_rows(sum_in_tree(parts, kRowWidth), kRowWidth, std::span(expected).subspan(kBefore, kRows * kRowWidth));
    for (const auto& result : exchanged(workers, Wire::kFp32, rows_of)) ASSERT_EQ(result, expected) << workers;
  }
}

TEST(RowExchange, WhatIsLessGoes) {
  for (const Wire wire : {Wire::kFp32, Wire::kBf16, Wire::kFp16}) {
    for (const double share : {0.02, 0.3, 1.0}) {
      const int workers = 4;
      uint64_t bytes = 0;
      const auto results = exchanged(
          workers, wire, [&](int rank) { return random_rows(static_cast<uint64_t>(rank), share); }, &bytes);
      for (const auto& result : results) EXPECT_EQ(result, results[0]);
      const double table = 2.0 * 3 * static_cast<double>(wire_size(wire, kRows * kRowWidth));
      const double rows = 4 * 3 * share * kRows * static_cast<double>(4 + wire_size(wire, kRowWidth));
      EXPECT_LT(static_cast<double>(bytes), 1.1 * std::min(table, rows) + 1000) << share;
    }
  }
}

TEST(RowExchange, RowsCarryTheirIds) {
  EXPECT_TRUE(rows_are_less(0, 512, 32768 * 512, Wire::kFp32));
  EXPECT_TRUE(rows_are_less(2 * 32700, 512, 32768 * 512, Wire::kFp32));
  EXPECT_FALSE(rows_are_less(2 * 32768, 512, 32768 * 512, Wire::kFp32));
  EXPECT_TRUE(rows_are_less(1333, 2, 2000, Wire::kFp32)) << "12 bytes a row, 16000 of two tables";
  EXPECT_FALSE(rows_are_less(1334, 2, 2000, Wire::kFp32));
  EXPECT_TRUE(rows_are_less(999, 2, 2000, Wire::kBf16)) << "8 bytes a row, 8000 of two tables";
  EXPECT_FALSE(rows_are_less(1000, 2, 2000, Wire::kBf16));
}

TEST(SparseRows, SumHasTheRowsOfBoth) {
  const SparseRows a = {{1, 4, 9}, {1, 2, 3, 4, 5, 6}}, b = {{0, 4, 11}, {10, 20, 30, 40, 50, 60}};
  const SparseRows both = sum(a, b, 2);
  EXPECT_THAT(both.ids, ElementsAre(0, 1, 4, 9, 11));
  EXPECT_THAT(both.values, ElementsAre(10, 20, 1, 2, 33, 44, 5, 6, 50, 60));
  EXPECT_EQ(sum(a, {}, 2).values, a.values);
  EXPECT_EQ(sum({}, b, 2).ids, b.ids);
}

// Numbers whose sum tells in which order they were added: each is lost unless its neighbours come first.
TEST(SparseRows, TheTreeIsSplitAtTheLargestPowerOfTwo) {
  const auto tree = [](std::vector<float> values) {
    std::vector<SparseRows> parts;
    for (const float value : values) parts.push_back({{3}, {value}});
    return sum_in_tree(parts, 1).values.at(0);
  };
  const float a = 1e8f, b = 3.3f, c = -1e8f, d = 7.7f, e = 0.1f;
  EXPECT_EQ(tree({a}), a);
  EXPECT_EQ(tree({a, b}), a + b);
  EXPECT_EQ(tree({a, b, c}), (a + b) + c);
  EXPECT_EQ(tree({a, b, c, d}), (a + b) + (c + d));
  EXPECT_EQ(tree({a, b, c, d, e}), ((a + b) + (c + d)) + e);
  EXPECT_NE((a + b) + (c + d), ((a + b) + c) + d);
}

TEST(SparseRows, WhoLacksARowIsSkippedInTheTree) {
  const float a = 1e8f, b = 3.3f, c = -1e8f;
  std::vector<SparseRows> parts = {{{5}, {a}}, {{6}, {1}}, {{5}, {b}}, {{5, 6}, {c, 2}}};
  const SparseRows result = sum_in_tree(parts, 1);
  EXPECT_THAT(result.ids, ElementsAre(5, 6));
  EXPECT_THAT(result.values, ElementsAre(a + (b + c), 3));
}

TEST(SparseRows, NobodyHasNone) {
  EXPECT_EQ(sum_in_tree({}, 4).count(), 0u);
  std::vector<SparseRows> parts(3);
  EXPECT_EQ(sum_in_tree(parts, 4).count(), 0u);
}

TEST(SparseRows, AreAddedToTheirPlaces) {
  std::vector<float> table(6, 1);
  add_rows({{0, 2}, {1, 2, 3, 4}}, 2, table);
  EXPECT_THAT(table, ElementsAre(2, 3, 1, 1, 4, 5));
}

}  // namespace
}  // namespace verbund
