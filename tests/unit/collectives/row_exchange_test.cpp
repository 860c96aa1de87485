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

constexpr size_t kWidth = 24, kRows = 3000, kBefore = 100;  // values before the table in the buffer
constexpr size_t kSize = kBefore + kRows * kWidth + 50;
const Lookup kLookup = {{kBefore, kBefore + kRows* kWidth}, kWidth, true};

// Each row with this probability.
SparseRows random_rows(uint64_t seed, double share) {
  Random random(seed, 0);
  SparseRows rows;
  for (size_t id = 0; id < kRows; ++id) {
    if (random.uniform() >= share) continue;
    rows.ids.push_back(static_cast<int32_t>(id));
    for (size_t i = 0; i < kWidth; ++i) {
      rows.values.push_back(static_cast<float>((random.uniform() - 0.5) * std::exp(10 * random.uniform() - 5)));
    }
  }
  return rows;
}

std::vector<float> made_gradients() {
  std::vector<float> gradients(kSize);
  for (size_t i = 0; i < kSize; ++i) gradients[i] = static_cast<float>(i % 17) * 0.37f;
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
  std::vector<std::byte> message(wire_size(wire, kWidth));
  for (size_t i = 0; i < rows.count(); ++i) {
    const std::span<float> row = std::span(rows.values).subspan(i * kWidth, kWidth);
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
      add_rows(sum_in_tree(parts, kWidth), kWidth, std::span(expected).subspan(kBefore, kRows * kWidth));
      for (const auto& result : exchanged(workers, wire, rows_of)) ASSERT_EQ(result, expected) << workers;
    }
  }
}

TEST(RowExchange, AWorkerMayHaveNoneAndSoMayAll) {
  const auto rows_of = [](int rank) { return rank == 1 ? random_rows(7, 0.1) : SparseRows(); };
  std::vector<float> expected = made_gradients();
  add_rows(rows_of(1), kWidth, std::span(expected).subspan(kBefore, kRows * kWidth));
  for (const auto& result : exchanged(3, Wire::kFp32, rows_of)) EXPECT_EQ(result, expected);
  for (const auto& result : exchanged(3, Wire::kFp32, [](int) { return SparseRows(); })) {
    EXPECT_EQ(result, made_gradients());
  }
}

TEST(RowExchange, TheWholeTableHasTheSameBits) {
  for (const int workers : {2, 3, 4, 6}) {
    const auto rows_of = [](int rank) { return random_rows(static_cast<uint64_t>(rank), 0.999); };
    ASSERT_FALSE(rows_are_less(static_cast<size_t>(workers) * kRows * 99 / 100, kWidth, kRows * kWidth, Wire::kFp32));
    std::vector<SparseRows> parts;
    for (int rank = 0; rank < workers; ++rank) parts.push_back(rows_of(rank));
    std::vector<float> expected = made_gradients();
    add_rows(sum_in_tree(parts, kWidth), kWidth, std::span(expected).subspan(kBefore, kRows * kWidth));
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
      const double table = 2.0 * 3 * static_cast<double>(wire_size(wire, kRows * kWidth));
      const double rows = 4 * 3 * share * kRows * static_cast<double>(4 + wire_size(wire, kWidth));
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

}  // namespace
}  // namespace verbund
