// SPDX-License-Identifier: Apache-2.0
// Watchdogs of workers on two hosts, which are threads; the leader of the second host passes on what the others say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <map>
#include <optional>
#include <thread>

#include "collectives/hierarchical_communicator.h"
#include "control/watchdog.h"
#include "core/elapsed.h"
#include "support/thread_transport.h"
#include "unit/control/made_network.h"

namespace verbund {
namespace {

using Kind = WatchdogEvent::Kind;

void sleep_for(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

std::vector<std::byte> message_with(size_t number, size_t size = sizeof(size_t)) {
  std::vector<std::byte> bytes(size);
  std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}

const std::vector<Worker> kTwice2 = workers_on({"a", "a", "b", "b"});
const std::vector<Worker> kTwice3 = workers_on({"a", "a", "a", "b", "b", "b"});

// What a worker does; those without anything of their own have a watchdog and wait.
using Work = std::function<void(Communicator&)>;

// When all end, one of them would end the process before another has printed why.
void leave_last(Watchdog& watchdog, int rank) {
  if (rank != 0) watchdog.set_abort([] { sleep_for(1000); });
}

void run_all(const std::vector<Worker>& workers, const std::function<Work(int rank)>& work_of) {
  ThreadWorld world(static_cast<int>(workers.size()));
  std::vector<std::thread> threads;
  for (const Worker& worker : workers) {
    threads.emplace_back([&, rank = worker.rank] {
      HierarchicalCommunicator communicator(world.transport(rank));
      work_of(rank)(communicator);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Messages of all workers arrive complete and in order, or are counted, and each worker knows the clock of worker 0.
TEST(WatchdogOnHosts, MessagesAndClocksPassThroughLeaders) {
  constexpr size_t kSmall = 300, kLarge = 200;  // of 64 KiB: there is no room for all
  struct Received {
    size_t count = 0, next = 0, dropped = 0;
  };
  std::map<int, Received> received;
  TelemetryReceiver receiver;
  receiver.set_handler([&](int rank, std::span<const std::byte> message, uint64_t dropped) {
    Received& of = received[rank];
    size_t number = 0;
    std::memcpy(&number, message.data(), sizeof number);
    EXPECT_EQ(number, of.next + dropped) << rank;
    of.next = number + 1;
    of.dropped += dropped;
    ++of.count;
  });
  const RunClock right(1e9);
  run_all(kTwice3, [&](int rank) -> Work {
    return [&, rank](Communicator& all) {
      const RunClock own(rank == 0 ? 1e9 : 1e9 - 1000 * rank);
      Watchdog watchdog(all, kTwice3, rank == 0 ? right : own, rank == 0 ? &receiver : nullptr);
      if (rank != 0) {
        const ClockOffset found = watchdog.telemetry().offset();
        const auto moment = std::chrono::steady_clock::now();
        EXPECT_LE(std::abs(own.at(moment) + found.offset - right.at(moment)), found.bound + 2e-6) << rank;
        EXPECT_LT(found.bound, 2) << rank;
        for (size_t i = 0; i < kSmall; ++i) EXPECT_TRUE(watchdog.telemetry().post({rank, message_with(i), 0}));
        EXPECT_TRUE(watchdog.telemetry().flush(20));
        EXPECT_TRUE(receiver.drain(20));
        for (size_t i = 0; i < kLarge; ++i) {
          watchdog.telemetry().post({rank, message_with(kSmall + i, kMaxAttached), 0});
        }
        EXPECT_TRUE(watchdog.telemetry().flush(60));
        EXPECT_TRUE(receiver.drain(20));
        EXPECT_TRUE(watchdog.telemetry().post({rank, message_with(kSmall + kLarge), 0}));
        EXPECT_TRUE(watchdog.telemetry().flush(20));
      }
      all.barrier();
      receiver.drain(20);
      watchdog.announce_shutdown();
      all.barrier();
    };
  });
  for (int rank = 1; rank < 6; ++rank) {
    EXPECT_EQ(received[rank].count + received[rank].dropped, kSmall + kLarge + 1) << rank;
  }
}

// Nobody is missed or reported, whoever is the first to leave, and how long the others stay.
TEST(WatchdogOnHosts, AllLeaveInAnyOrder) {
  std::vector<std::thread> orders;
  for (const std::vector<int>& order : {std::vector<int>{3, 0, 1, 2, 5, 4},
                                        {0, 3, 4, 5, 1, 2},
                                        {4, 5, 3, 2, 1, 0},
                                        {1, 2, 0, 4, 3, 5},
                                        {5, 1, 3, 4, 0, 2}}) {
    orders.emplace_back([&, order] {
      std::atomic<size_t> turn = 0;
      run_all(kTwice3, [&](int rank) -> Work {
        return [&, rank](Communicator& all) {
          TelemetryReceiver receiver;
          {
            Watchdog watchdog(all, kTwice3, RunClock(), rank == 0 ? &receiver : nullptr);
            WorkersConfig limits;
            limits.stall_warning_seconds = 1;
            limits.deadline_seconds = 2.5;
            watchdog.set_limits(limits);
            watchdog.set_log([&](const WatchdogEvent& event) { ADD_FAILURE() << event.message; });
            all.barrier();
            watchdog.announce_shutdown();
            while (order[turn] != rank) sleep_for(0.01);
            if (turn + 1 == order.size()) sleep_for(3);
          }
          sleep_for(turn == 0 ? 3 : 0.1);
          ++turn;
        };
      });
    });
  }
  for (std::thread& order : orders) order.join();
}

// Workers have real watchdogs, but that of `rank` is played for some seconds; then it dies, or freezes.
enum class Then { kDies, kFreezes };
void lose(const std::vector<Worker>& workers, int lost, double seconds, Then then, bool worker_0_is_deaf = false) {
  run_all(workers, [&](int rank) -> Work {
    return [&, rank](Communicator& all) {
      if (rank == lost || (rank == 0 && worker_0_is_deaf)) {
        std::optional<ControlChannel> channel(open_control_sockets(all, workers));
        Heartbeat alive;
        alive.run = channel->run();
        alive.rank = all.rank();
        const auto ignore = [](size_t, Heard, const Heartbeat&, std::span<const std::byte>) {};
        for (const double end = monotonic_seconds() + (rank == lost ? seconds : 1000); monotonic_seconds() < end;) {
          channel->send_all(alive);
          channel->listen(ignore);
          sleep_for(0.02);
        }
        if (then == Then::kDies) channel.reset();
        sleep_for(1000);
      }
      TelemetryReceiver receiver;
      Watchdog watchdog(all, workers, RunClock(), rank == 0 ? &receiver : nullptr);
      WorkersConfig limits;
      limits.stall_warning_seconds = 1;
      limits.deadline_seconds = 3;
      watchdog.set_limits(limits);
      leave_last(watchdog, rank);
      watchdog.set_log([rank](const WatchdogEvent& event) {
        fmt::print(stderr, "{}: kind {}, worker {}, last {}\n", rank, static_cast<int>(event.kind), event.worker,
                   event.last);
      });
      sleep_for(1000);
    };
  });
}

constexpr auto kLost = static_cast<int>(Kind::kLost), kStall = static_cast<int>(Kind::kStall);
const auto kExit3 = ::testing::ExitedWithCode(3);

// The only reports: that of worker `by` about `lost`, after warnings about it if there were any.
auto only(int by, int lost, bool after_warnings) {
  return ::testing::AllOf(
      ::testing::ContainsRegex(fmt::format("{}: kind {}, worker {}, last true", by, kLost, lost)),
      ::testing::Not(::testing::ContainsRegex(fmt::format("worker [^{}], last", lost))),
      after_warnings ? ::testing::Matcher<const std::string&>(
                           ::testing::ContainsRegex(fmt::format("kind {}, worker {}, last false", kStall, lost)))
                     : ::testing::Matcher<const std::string&>(::testing::Not(::testing::HasSubstr("last false"))));
}

TEST(WatchdogOnHostsDeathTest, AChildThatDiesIsReportedByWorker0) {
  EXPECT_EXIT(lose(kTwice2, 3, 0.5, Then::kDies), kExit3, only(0, 3, false));
  EXPECT_EXIT(lose(kTwice3, 4, 0.5, Then::kDies), kExit3, only(0, 4, false));
}

TEST(WatchdogOnHostsDeathTest, ALeaderThatDiesIsReportedByWorker0) {
  EXPECT_EXIT(lose(kTwice2, 2, 0.5, Then::kDies), kExit3, only(0, 2, false));
  EXPECT_EXIT(lose(kTwice3, 3, 0.5, Then::kDies), kExit3, only(0, 3, false));
}

TEST(WatchdogOnHostsDeathTest, ItsChildrenEndByThemselves) {
  EXPECT_EXIT(lose(kTwice2, 2, 0.5, Then::kDies, true), kExit3, only(3, 2, false));
}

TEST(WatchdogOnHostsDeathTest, AFrozenChildIsNamed) {
  EXPECT_EXIT(lose(kTwice3, 5, 1, Then::kFreezes), kExit3, only(0, 5, true));
}

TEST(WatchdogOnHostsDeathTest, AFrozenLeaderIsNamedAndNotItsChildren) {
  EXPECT_EXIT(lose(kTwice3, 3, 1, Then::kFreezes), kExit3, only(0, 3, true));
  EXPECT_EXIT(lose(kTwice2, 2, 0, Then::kFreezes), kExit3, only(0, 2, true)) << "from the first moment";
}

TEST(WatchdogOnHostsDeathTest, ChildrenOfAFrozenLeaderEndByThemselves) {
  EXPECT_EXIT(lose(kTwice2, 2, 1, Then::kFreezes, true), kExit3, only(3, 2, false));
}

TEST(WatchdogOnHostsDeathTest, Worker0IsMissedByAll) {
  EXPECT_EXIT(lose(kTwice3, 0, 0.5, Then::kDies), kExit3, "lost worker 0 on a: it ended without a message");
  EXPECT_EXIT(lose(kTwice3, 0, 1, Then::kFreezes), kExit3, "lost worker 0 on a: no heartbeat");
}

TEST(WatchdogOnHostsDeathTest, AChildThatFailsSaysWhy) {
  const auto fail_in = [](int failing) {
    run_all(kTwice2, [&](int rank) -> Work {
      return [&, rank](Communicator& all) {
        TelemetryReceiver receiver;
        Watchdog watchdog(all, kTwice2, RunClock(), rank == 0 ? &receiver : nullptr);
        leave_last(watchdog, rank);
        all.barrier();
        if (rank == failing) watchdog.report_failure("no memory", 7);
        sleep_for(1000);
      };
    });
  };
  for (const int failing : {2, 3}) {
    EXPECT_EXIT(fail_in(failing), ::testing::ExitedWithCode(7),
                fmt::format("verbund: worker {} on b: no memory", failing));
  }
}

}  // namespace
}  // namespace verbund
