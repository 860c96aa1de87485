// SPDX-License-Identifier: Apache-2.0
// Checks that every communicator must pass, over any transport: run by workers that are threads
// (tests/unit/collectives/communicator_test.cpp) and by processes under mpirun (tests/mpi/messages_test.py).
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "collectives/chunks.h"
#include "collectives/communicator.h"
#include "core/random.h"

namespace verbund::communicator_checks {

inline constexpr size_t kSize = 21 * kChunk + 123;  // ends inside a chunk, and no number of workers divides it

inline std::vector<float> random_values(size_t size, uint64_t seed) {
  std::vector<float> values(size);
  for (size_t i = 0; i < size; ++i) {
    values[i] = (static_cast<float>(philox(seed, 0, i)[0]) / 4294967296.0f - 0.5f) * 10;
  }
  return values;
}

inline std::vector<float> values_of(int rank) { return random_values(kSize, static_cast<uint64_t>(rank)); }

// In the one order of n workers, in fp32: what every worker must get, bit by bit, on whatever hosts they are.
inline std::vector<float> sum_in_order(RankRange ranks) {
  if (ranks.size() == 1) return values_of(ranks.begin);
  int half = 1;
  while (2 * half < ranks.size()) half *= 2;
  std::vector<float> sum = sum_in_order({ranks.begin, ranks.begin + half});
  const std::vector<float> others = sum_in_order({ranks.begin + half, ranks.end});
  for (size_t i = 0; i < kSize; ++i) sum[i] += others[i];
  return sum;
}

inline void sums_and_largest_numbers(Communicator& comm) {
  std::vector<double> values = {1.0 + comm.rank(), -comm.rank() * 1.0}, largest = values;
  comm.sum(values);
  comm.max(largest);
  const int n = comm.size();
  EXPECT_THAT(values, ::testing::ElementsAre(n + n * (n - 1) / 2.0, -n * (n - 1) / 2.0));
  EXPECT_THAT(largest, ::testing::ElementsAre(n, 0));
  EXPECT_TRUE(comm.any(comm.rank() == n - 1));
  EXPECT_FALSE(comm.any(false));
}

// The bits of adding one worker's number after the other's; more numbers than fit into one message of a worker, too.
inline void sums_of_numbers_have_the_bits_of_adding_by_rank(Communicator& comm) {
  const auto number = [](int rank, size_t i) {
    return std::ldexp(static_cast<double>(philox(static_cast<uint64_t>(rank), 1, i)[0]) - 2e9,
                      static_cast<int>(i % 40));
  };
  for (const size_t count : {size_t{0}, size_t{1}, size_t{6}, size_t{5000}}) {
    std::vector<double> values, expected(count);
    for (size_t i = 0; i < count; ++i) {
      values.push_back(number(comm.rank(), i));
      for (int rank = 0; rank < comm.size(); ++rank) expected[i] += number(rank, i);
    }
    comm.sum(values);
    EXPECT_TRUE(values == expected) << count;
  }
}

inline void texts_of_all_lengths(Communicator& comm) {
  const std::vector<std::string> texts = comm.gather(std::string(static_cast<size_t>(comm.rank() * 1000), 'x'));
  for (size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(texts[i].size(), i * 1000);
  EXPECT_EQ(comm.broadcast(comm.rank() == 0 ? "leader" : "other"), "leader");
  // Longer than what a host's workers share at once; some have none.
  const auto text_of = [](size_t rank) { return std::string(rank % 3 * 50'000, static_cast<char>('a' + rank % 26)); };
  const std::vector<std::string> long_ones = comm.gather(text_of(static_cast<size_t>(comm.rank())));
  for (size_t i = 0; i < long_ones.size(); ++i) EXPECT_TRUE(long_ones[i] == text_of(i)) << i;
  for (const std::string& none : comm.gather("")) EXPECT_EQ(none, "");
}

// However the buffer is cut, and however many chunks are in flight.
inline void sums_of_buffers_have_the_bits_of_summing_in_order(Communicator& comm) {
  const std::vector<float> expected = sum_in_order({0, comm.size()});
  for (const auto& [interval, in_flight] : {std::pair(kChunk, kUsualInFlight), std::pair(3 * kChunk, kMaxInFlight),
                                            std::pair(kSize, size_t{1}), std::pair(kSize, kUsualInFlight)}) {
    comm.set_in_flight(in_flight);
    std::vector<float> buffer = values_of(comm.rank());
    for (size_t begin = 0; begin < kSize; begin += interval) {
      comm.all_reduce(buffer, {begin, std::min(begin + interval, kSize)}, Wire::kFp32);
    }
    EXPECT_TRUE(buffer == expected);
  }
}

inline void owners_get_the_same_sums_and_share_them(Communicator& comm) {
  const std::vector<float> expected = sum_in_order({0, comm.size()});
  std::vector<float> buffer = values_of(comm.rank());
  for (const Interval part : {Interval{0, 5 * kChunk}, Interval{5 * kChunk, kSize}}) {
    comm.reduce_scatter(buffer, part, Wire::kFp32);
  }
  for (const Interval own : owned_by(comm.rank(), comm.size(), kSize)) {
    EXPECT_TRUE(std::equal(buffer.begin() + static_cast<long>(own.begin), buffer.begin() + static_cast<long>(own.end),
                           expected.begin() + static_cast<long>(own.begin)));
  }
  comm.all_gather(buffer, {0, kSize}, Wire::kFp32);
  EXPECT_TRUE(buffer == expected);
}

inline void fewer_bits_on_the_wire_are_near_and_the_same_everywhere(Communicator& comm) {
  const std::vector<float> expected = sum_in_order({0, comm.size()});
  for (const auto& [wire, step] :
       {std::pair(Wire::kBf16, 0x1p-8), std::pair(Wire::kFp16, 0x1p-11), std::pair(Wire::kInt8, 0x1p-7)}) {
    std::vector<float> buffer = values_of(comm.rank());
    comm.all_reduce(buffer, {0, kSize}, wire);
    double worst = 0;
    for (size_t i = 0; i < kSize; ++i) worst = std::max(worst, static_cast<double>(std::abs(buffer[i] - expected[i])));
    EXPECT_LE(worst, 5.0 * 2 * comm.size() * step);   // each value is rounded once, the sum once more
    EXPECT_EQ(worst > 0, comm.layout().hosts() > 1);  // within a host nothing is rounded
    std::vector<float> leaders = buffer;
    comm.broadcast(leaders);
    EXPECT_TRUE(buffer == leaders);
  }
}

inline void broadcasts_gathers_and_scatters(Communicator& comm) {
  const std::vector<float> truth = random_values(kSize, 99);
  std::vector<float> buffer = comm.rank() == 0 ? truth : std::vector<float>(kSize);
  comm.broadcast(buffer);
  EXPECT_EQ(buffer, truth);

  std::vector<float> own;
  for (const Interval interval : owned_by(comm.rank(), comm.size(), kSize)) {
    own.insert(own.end(), truth.begin() + static_cast<long>(interval.begin),
               truth.begin() + static_cast<long>(interval.end));
  }
  std::vector<float> whole(comm.rank() == 0 ? kSize : 0), scattered(own.size());
  comm.gather_shards(own, whole, kSize);
  if (comm.rank() == 0) {
    EXPECT_EQ(whole, truth);
  }
  comm.scatter_shards(whole, scattered, kSize);
  EXPECT_EQ(scattered, own);
}

}  // namespace verbund::communicator_checks
