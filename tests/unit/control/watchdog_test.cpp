// SPDX-License-Identifier: Apache-2.0
// Workers that are threads, with a watchdog over real sockets between them.
#include "control/watchdog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstring>
#include <map>

#include "collectives/hierarchical_communicator.h"
#include "core/log.h"
#include "support/thread_workers.h"

namespace verbund {
namespace {

using ::testing::HasSubstr;
using Kind = WatchdogEvent::Kind;

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// What worker 0 received, by rank.
struct Received {
  std::map<int, std::vector<std::string>> texts;
  std::map<int, uint64_t> dropped;

  TelemetryHandler handler() {
    return [this](int rank, std::span<const std::byte> message, uint64_t dropped_before) {
      texts[rank].push_back(text_of(message));
      dropped[rank] += dropped_before;
    };
  }
};

class WorkersMessages : public ::testing::TestWithParam<Workers::Watched> {};

TEST_P(WorkersMessages, OfAllWorkersArriveInTheirOrder) {
  Received received;
  run_as_workers(
      3,
      [&](Workers& all) {
        if (all.leads()) all.set_handler(received.handler());
        for (int i = 0; i < 200; ++i) EXPECT_TRUE(all.post(bytes_of(fmt::format("{} of {}", i, all.rank()))));
        all.flush();
        if (all.leads()) {
          for (int rank = 0; rank < 3; ++rank) {
            ASSERT_EQ(received.texts[rank].size(), 200u);
            for (int i = 0; i < 200; ++i) {
              EXPECT_EQ(received.texts[rank][static_cast<size_t>(i)], fmt::format("{} of {}", i, rank));
            }
            EXPECT_EQ(received.dropped[rank], 0u);
          }
          all.set_handler({});
        }
      },
      GetParam());
}

TEST_P(WorkersMessages, AreWaitedForAtTheEnd) {
  Received received;
  run_as_workers(
      3,
      [&](Workers& all) {
        if (all.leads()) all.set_handler(received.handler());
        all.post(std::vector<std::byte>(Message::kMaxBytes));
      },
      GetParam());
  for (int rank = 0; rank < 3; ++rank) EXPECT_EQ(received.texts[rank].size(), 1u) << rank;
}

TEST_P(WorkersMessages, WhatThereIsNoRoomForIsCounted) {
  constexpr int kCount = 300;  // of 64 KiB each; there is room for 4 MiB
  Received received;
  std::atomic<uint64_t> refused = 0;
  run_as_workers(
      2,
      [&](Workers& all) {
        if (all.rank() == 1) {
          EXPECT_FALSE(all.post(std::vector<std::byte>(Message::kMaxBytes + 1)));
          ++refused;
          for (int i = 0; i < kCount; ++i) refused += all.post(std::vector<std::byte>(Message::kMaxBytes)) ? 0 : 1;
        }
        all.flush();  // without a handler: they wait, or are dropped
        if (all.leads()) all.set_handler(received.handler());
        all.flush();
        if (all.rank() == 1) all.post(bytes_of("last"));
        all.flush();
        if (all.leads()) all.set_handler({});
      },
      GetParam());
  EXPECT_EQ(received.texts[1].back(), "last");
  EXPECT_EQ(received.texts[1].size() + received.dropped[1], kCount + 2u);
  EXPECT_GE(received.dropped[1], refused);
  EXPECT_GT(refused, 1u);
}

INSTANTIATE_TEST_SUITE_P(, WorkersMessages, ::testing::Values(Workers::Watched::kNo, Workers::Watched::kYes),
                         [](const auto& one) {
                           return one.param == Workers::Watched::kYes ? "OverSockets" : "InOneProcess";
                         });

TEST(WorkersAlone, HearThemselves) {
  Received received;
  Workers alone;
  EXPECT_TRUE(alone.post(bytes_of("before")));
  alone.set_handler(received.handler());
  EXPECT_TRUE(alone.post(bytes_of("after")));
  alone.flush();
  EXPECT_THAT(received.texts[0], ::testing::ElementsAre("before", "after"));
  alone.set_handler({});
  alone.close();
}

TEST(WorkersAlone, HaveTheirOwnClock) {
  const Workers alone;
  EXPECT_EQ(alone.clock().offset, 0);
  EXPECT_EQ(alone.clock().bound, 0);
  const double wall = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  EXPECT_NEAR(alone.run_clock(), wall, 60);
  const auto moment = std::chrono::steady_clock::now();
  EXPECT_NEAR(alone.run_clock(moment + std::chrono::seconds(5)) - alone.run_clock(moment), 5, 1e-5);
}

// Does the work as two workers, of which each has a Communicator.
void run_as_two(const std::function<void(Communicator&)>& leader, const std::function<void(Communicator&)>& other) {
  ThreadWorld world(2);
  const auto run = [&](int rank, const std::function<void(Communicator&)>& work) {
    HierarchicalCommunicator communicator(world.transport(rank));
    work(communicator);
  };
  std::thread thread([&] { run(1, other); });
  run(0, leader);
  thread.join();
}

const std::vector<Worker> kTwo = {{0, "a", 0, 1, {0}, 1}, {1, "b", 0, 1, {0}, 1}};

TEST(Watchdog, FindsTheClockOfWorker0) {
  const RunClock right(1e9), wrong(1e9 - 86400.5);  // as if one host's clock were a day late
  run_as_two(
      [&](Communicator& all) {
        TelemetryReceiver receiver;
        Watchdog watchdog(all, kTwo, right, &receiver);
        all.barrier();
        watchdog.announce_shutdown();
        all.barrier();
      },
      [&](Communicator& all) {
        Watchdog watchdog(all, kTwo, wrong, nullptr);
        const ClockOffset found = watchdog.telemetry().offset();  // there is one at once
        const auto moment = std::chrono::steady_clock::now();
        EXPECT_LE(std::abs(wrong.at(moment) + found.offset - right.at(moment)), found.bound + 2e-6);
        EXPECT_LT(found.bound, 2);
        all.barrier();
        watchdog.announce_shutdown();
        all.barrier();
      });
}

TEST(Watchdog, ReportsTheStragglerAndThatAllResume) {
  std::atomic<bool> warned = false, resumed = false;
  run_as_workers(
      2,
      [&](Workers& all) {
        WorkersConfig limits;
        limits.stall_warning_seconds = 0.3;
        all.watchdog().set_limits(limits);
        all.watchdog().set_log([&](const WatchdogEvent& event) {
          EXPECT_FALSE(event.last);
          if (event.kind == Kind::kStall) {
            if (warned) return;  // on a busy machine there may be more
            EXPECT_EQ(event.worker, 1);
            EXPECT_THAT(event.message, HasSubstr("worker 1"));
            warned = true;
          } else {
            EXPECT_EQ(event.kind, Kind::kResumed);
            EXPECT_EQ(event.worker, -1);
            resumed = true;
          }
        });
        while (all.rank() == 1 && !warned) std::this_thread::sleep_for(std::chrono::milliseconds(5));
        all.comm().barrier();
        while (!resumed) std::this_thread::sleep_for(std::chrono::milliseconds(5));
        all.comm().barrier();
        all.watchdog().set_log({});
      },
      Workers::Watched::kYes);
}

// Worker 1 sends this and is gone; worker 0 prints what it received and what the watchdog reports.
void end_after(const Heartbeat& last, const std::vector<std::byte>& attached) {
  run_as_two(
      [&](Communicator& all) {
        TelemetryReceiver receiver;
        receiver.set_handler([](int rank, std::span<const std::byte> message, uint64_t dropped) {
          std::this_thread::sleep_for(std::chrono::milliseconds(100));  // a slow disk
          fmt::print(stderr, "received of {} after {} dropped: {}\n", rank, dropped, text_of(message));
        });
        Watchdog watchdog(all, kTwo, RunClock(), &receiver);
        watchdog.set_log([](const WatchdogEvent& event) {
          fmt::print(stderr, "kind {}, worker {}, last {}, step {}\n", static_cast<int>(event.kind), event.worker,
                     event.last, event.step);
        });
        watchdog.report_phase(41, "forward and backward");
        all.barrier();
        all.barrier();  // never ends
      },
      [&](Communicator& all) {
        const ControlSockets sockets = open_control_sockets(all, kTwo);
        Heartbeat heartbeat = last;
        heartbeat.run = sockets.run;
        heartbeat.rank = 1;
        all.barrier();
        sockets.by_rank[0].send(std::as_bytes(std::span(&heartbeat, 1)));
        sockets.by_rank[0].send(attached);
        if (last.attached > kMaxAttached) std::this_thread::sleep_for(std::chrono::minutes(1));  // it is not waited for
      });
}

TEST(WatchdogDeathTest, AWorkerThatDiesLeavesWhatItHadSent) {
  Heartbeat message;
  message.kind = HeartbeatKind::kMessage;
  message.attached = 10;
  message.dropped = 3;
  EXPECT_EXIT(end_after(message, bytes_of("last words")), ::testing::ExitedWithCode(3),
              "received of 1 after 3 dropped: last words\n(.|\n)*kind 2, worker 1, last true, step 41");
  EXPECT_EXIT(end_after(message, bytes_of("last words")), ::testing::ExitedWithCode(3),
              "verbund: lost worker 1 on b: .* at step 1 ");
}

TEST(WatchdogDeathTest, ALossIsOnRecordForLaunch) {
  const Heartbeat alive;
  const auto lose = [&](bool launch_reads) {
    set_terminal({StatusLine::kNone, false, launch_reads});
    end_after(alive, {});
  };
  EXPECT_EXIT(lose(true), ::testing::ExitedWithCode(3), "\x1d\\{\"event\":\"lost_worker\",\"worker\":1\\}\n");
  EXPECT_EXIT(lose(false), ::testing::ExitedWithCode(3), "^[^\x1d]*$");
}

TEST(WatchdogDeathTest, ASizeThatNoWorkerSendsEndsTheRunAndTakesNoMemory) {
  Heartbeat message;
  message.kind = HeartbeatKind::kMessage;
  message.attached = uint64_t{1} << 62;
  EXPECT_EXIT(end_after(message, bytes_of("x")), ::testing::ExitedWithCode(3), "lost worker 1 on b: .*malformed");
}

TEST(WatchdogDeathTest, AWorkerThatFailsSaysWhy) {
  Heartbeat failed;
  failed.kind = HeartbeatKind::kFailed;
  failed.exit_code = 7;
  failed.attached = 9;
  EXPECT_EXIT(end_after(failed, bytes_of("no memory")), ::testing::ExitedWithCode(7),
              "worker 1 on b: no memory\nkind 3, worker 1, last true");
}

}  // namespace
}  // namespace verbund
