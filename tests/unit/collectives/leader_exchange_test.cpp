// SPDX-License-Identifier: Apache-2.0
#include "collectives/leader_exchange.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <thread>

#include "collectives/hierarchical_communicator.h"
#include "support/communicator_checks.h"
#include "support/thread_transport.h"

namespace verbund {
namespace {

// Counts the messages that a worker sends, and places it on any host.
class CountingTransport final : public Transport {
 public:
  CountingTransport(std::unique_ptr<Transport> real, std::string host, std::vector<int>& sent_to)
      : real_(std::move(real)), host_(std::move(host)), sent_to_(sent_to) {}

  int rank() const override { return real_->rank(); }
  int size() const override { return real_->size(); }
  void send(int to, int tag, std::span<const std::byte> data, int& under_way) override {
    sent_to_.push_back(to);
    real_->send(to, tag, data, under_way);
  }
  void receive(int from, int tag, std::span<std::byte> data, int& under_way) override {
    real_->receive(from, tag, data, under_way);
  }
  bool progress() override { return real_->progress(); }
  void pause(std::chrono::nanoseconds longest) override { real_->pause(longest); }
  std::string host() const override { return host_; }
  NamedMemory make_shared_memory(size_t bytes) override { return real_->make_shared_memory(bytes); }
  std::shared_ptr<std::byte> find_shared_memory(const std::string& name, size_t bytes) override {
    return real_->find_shared_memory(name, bytes);
  }
  void unname_shared_memory() override { real_->unname_shared_memory(); }

 private:
  std::unique_ptr<Transport> real_;
  std::string host_;
  std::vector<int>& sent_to_;
};

// Workers as threads, each on the host of this name. `sent_to`: the receivers of this worker's messages.
using Work = std::function<void(Communicator& comm, std::vector<int>& sent_to)>;
void run_on(const std::vector<std::string>& hosts, const Work& work) {
  ThreadWorld world(static_cast<int>(hosts.size()));
  std::vector<std::thread> threads;
  for (size_t rank = 0; rank < hosts.size(); ++rank) {
    threads.emplace_back([&, rank] {
      std::vector<int> sent_to;
      HierarchicalCommunicator comm(
          std::make_unique<CountingTransport>(world.transport(static_cast<int>(rank)), hosts[rank], sent_to));
      work(comm, sent_to);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

std::vector<std::string> hosts_with(int count, int workers) {
  std::vector<std::string> hosts;
  for (int rank = 0; rank < count * workers; ++rank) hosts.push_back(std::to_string(rank / workers));
  return hosts;
}

// Of a leader in one exchange: up to seven in each of log8(hosts) rounds.
size_t messages_of(int hosts) {
  size_t messages = 0;
  for (int known = 1; known < hosts; known *= 8) messages += static_cast<size_t>(std::min(7, (hosts - 1) / known));
  return messages;
}

TEST(LeaderExchange, SendsAsManyMessagesAsTheLogarithmOfTheHosts) {
  for (const auto& [hosts, workers] :
       {std::pair(1, 6), std::pair(2, 3), std::pair(3, 2), std::pair(5, 1), std::pair(9, 2), std::pair(27, 1)}) {
    run_on(hosts_with(hosts, workers), [&](Communicator& comm, std::vector<int>& sent_to) {
      const size_t each = messages_of(comm.layout().hosts());
      const bool leads = comm.layout().local_rank(comm.rank()) == 0;
      sent_to.clear();
      double numbers[] = {1, 2, 3, 4, 5, 6};
      comm.sum(numbers);
      EXPECT_EQ(numbers[5], 6 * comm.size());
      EXPECT_EQ(sent_to.size(), leads ? each : 0);
      comm.gather("a text");
      EXPECT_EQ(sent_to.size(), leads ? 3 * each : 0) << "lengths, then texts";
    });
  }
}

// With n workers on h hosts: three times that everybody gathers from everybody, and a greeting of each other host.
TEST(LeaderExchange, TheStartTalksToFewWorkers) {
  run_on(hosts_with(3, 8), [&](Communicator& comm, const std::vector<int>& sent_to) {
    const auto other_hosts = static_cast<size_t>(comm.layout().hosts() - 1);
    EXPECT_EQ(sent_to.size(), 6 * messages_of(comm.size()) + other_hosts);
    const std::set<int> others(sent_to.begin(), sent_to.end());
    EXPECT_LE(others.size(), messages_of(comm.size()) + other_hosts);
  });
}

TEST(LeaderExchange, WorksWhereTheRanksOfAHostAreNotInARow) {
  run_on({"a", "b", "c", "b", "a", "a", "c"}, [&](Communicator& comm, std::vector<int>&) {
    ASSERT_EQ(comm.layout().hosts(), 3);
    communicator_checks::sums_and_largest_numbers(comm);
    communicator_checks::sums_of_numbers_have_the_bits_of_adding_by_rank(comm);
    communicator_checks::texts_of_all_lengths(comm);
  });
}

}  // namespace
}  // namespace verbund
