// SPDX-License-Identifier: Apache-2.0
#include "collectives/halving_exchange.h"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>

#include "support/communicator_checks.h"
#include "support/thread_transport.h"

namespace verbund {
namespace {

std::vector<std::string> names_of_hosts(int hosts, int workers) {
  std::vector<std::string> names;
  for (int rank = 0; rank < hosts * workers; ++rank) names.push_back(std::to_string(rank / workers));
  return names;
}

std::vector<float> sum_in_order(RankRange ranks, size_t size) {
  if (ranks.size() == 1) return communicator_checks::random_values(size, static_cast<uint64_t>(ranks.begin));
  const int middle = split_of(ranks);
  std::vector<float> sum = sum_in_order({ranks.begin, middle}, size);
  const std::vector<float> others = sum_in_order({middle, ranks.end}, size);
  for (size_t i = 0; i < size; ++i) sum[i] += others[i];
  return sum;
}

// All-reduces buffers of these sizes one after the other, by threads as workers; returns the bytes that all sent.
uint64_t all_reduce(int hosts, int workers, const std::vector<size_t>& sizes) {
  ThreadWorld world(std::vector<int>(static_cast<size_t>(hosts), workers));
  const HostLayout layout(names_of_hosts(hosts, workers));
  std::vector<std::vector<float>> expected;
  for (const size_t size : sizes) expected.push_back(sum_in_order({0, hosts * workers}, size));
  std::vector<std::shared_ptr<std::byte>> memory;
  for (int host = 0; host < hosts && workers > 1; ++host) {
    memory.emplace_back(new std::byte[SharedChunkBuffer::bytes_for(workers)](), std::default_delete<std::byte[]>());
  }
  std::atomic<uint64_t> sent = 0;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < hosts * workers; ++rank) {
    threads.emplace_back([&, rank] {
      const std::unique_ptr<Transport> transport = world.transport(rank);
      std::optional<SharedChunkBuffer> shared;
      if (workers == 1) {
        shared.emplace();
      } else {
        shared.emplace(memory[static_cast<size_t>(rank / workers)], workers, rank % workers);
      }
      HalvingExchange exchange(*transport, layout, *shared);
      size_t next_chunk = 0;
      for (size_t i = 0; i < sizes.size(); ++i) {
        std::vector<float> buffer = communicator_checks::random_values(sizes[i], static_cast<uint64_t>(rank));
        exchange.all_reduce(buffer, next_chunk);
        EXPECT_TRUE(buffer == expected[i]) << "rank " << rank << ", " << sizes[i] << " values";
      }
      sent += exchange.bytes_sent();
    });
  }
  for (std::thread& thread : threads) thread.join();
  return sent;
}

// Fewer values than hosts, several windows of the shared memory, odd halves.
TEST(HalvingExchange, HasTheBitsOfAddingInOrderAndSendsAsFewBytesAsPossible) {
  const std::vector<size_t> sizes = {1, 5, 3001, 2 * kChunk + 8, 35 * kChunk + 1};
  size_t values = 0;
  for (const size_t size : sizes) values += size;
  for (const int workers : {1, 2, 4}) {
    for (const int hosts : {2, 8}) {
      const auto others = static_cast<uint64_t>(hosts - 1);
      EXPECT_EQ(all_reduce(hosts, workers, sizes), 2 * others * values * sizeof(float)) << hosts << " x " << workers;
    }
  }
}

TEST(HalvingExchange, SuitsManyHostsThatAreSubtreesOfTheSum) {
  const auto suits = [](int hosts, int workers) {
    return HalvingExchange::suits(HostLayout(names_of_hosts(hosts, workers)));
  };
  constexpr int kMany = HalvingExchange::kFewestHosts;
  EXPECT_TRUE(suits(kMany, 1));
  EXPECT_TRUE(suits(2 * kMany, 4));
  EXPECT_FALSE(suits(kMany / 2, 1)) << "few";
  EXPECT_FALSE(suits(kMany, 3)) << "the workers of a host are no subtree";
  EXPECT_FALSE(suits(kMany + 1, 1)) << "no power of two";
  std::vector<std::string> names = names_of_hosts(kMany, 2);
  std::swap(names[1], names[2]);
  EXPECT_FALSE(HalvingExchange::suits(HostLayout(names))) << "ranks of a host are apart";
}

}  // namespace
}  // namespace verbund
