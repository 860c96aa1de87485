// SPDX-License-Identifier: Apache-2.0
#include "report/ledger.h"

#include <gmock/gmock.h>

#include <numeric>
#include <tuple>

#include "report/judge.h"
#include "unit/report/made_run.h"

namespace verbund {
namespace {

using testing::HasSubstr;
using testing::Not;

double sum(const TimeParts& parts) { return std::accumulate(parts.begin(), parts.end(), 0.0); }

// Resumed twice: killed once after saving, with steps that were not saved yet, and stopped once.
TEST(Ledger, EverySecondHasItsName) {
  const MadeStep each = {0.1, 0.6, 0.2, 0.1};
  MadeRun made(2);
  made.start(3);
  made.steps(1, 100, each);
  made.evaluate(100, 5);
  made.save(100, 2);
  made.steps(101, 110, each);
  made.evaluate(110, 4);  // undone with the steps
  made.end("killed", true);
  made.pass(60);
  made.start(4, 100);
  made.steps(101, 150, each);
  made.save(150, 2);
  made.end("stopped by SIGTERM");
  made.pass(30);
  made.start(5, 150);
  made.steps(151, 200, each);
  made.evaluate(200, 6);
  made.pass(7);  // whatever that was
  made.end("finished");

  const Ledger ledger = make_ledger(made.take());
  EXPECT_EQ(ledger.steps, 200);
  EXPECT_EQ(ledger.lost_steps, 10);
  EXPECT_NEAR(ledger.part(TimeUse::kData), 20, 1e-3);
  EXPECT_NEAR(ledger.part(TimeUse::kCompute), 120, 1e-3);
  EXPECT_NEAR(ledger.part(TimeUse::kExchange), 40, 1e-3);
  EXPECT_NEAR(ledger.part(TimeUse::kSlowest), 0, 1e-3);
  EXPECT_NEAR(ledger.part(TimeUse::kUpdate), 20, 1e-3);
  EXPECT_NEAR(ledger.part(TimeUse::kEvaluation), 11, 1e-3);
  EXPECT_NEAR(ledger.part(TimeUse::kSaving), 4, 1e-3);
  EXPECT_NEAR(ledger.part(TimeUse::kStarting), 12, 1e-3);
  EXPECT_NEAR(ledger.part(TimeUse::kLost), 14, 1e-3);
  EXPECT_NEAR(ledger.part(TimeUse::kDown), 60, 1e-3);
  EXPECT_NEAR(ledger.not_running, 30, 1e-3) << "somebody had stopped it";
  EXPECT_NEAR(ledger.part(TimeUse::kUnaccounted), 7, 1e-3);
  EXPECT_NEAR(ledger.wall, made.now() - 1000000 - 30, 1e-3);
  EXPECT_NEAR(sum(ledger.parts), ledger.wall, 1e-6);
}

// A week later a finished run gets more steps.
TEST(Ledger, OnlyAfterADeathItIsDown) {
  const double week = 7 * 24 * 3600;
  for (const auto& [reason, killed, is_down] : {std::tuple{"finished at step 100", false, false},
                                                {"stopped by SIGTERM at step 100", false, false},
                                                {"killed, or the machine went down", true, true},
                                                {"ended at step 100: the disk is full", false, true}}) {
    MadeRun made;
    made.start(0);
    made.steps(1, 100, {0, 1, 0, 0});
    made.end(reason, killed);
    made.pass(week);
    made.start(0, 100);
    made.steps(101, 120, {0, 1, 0, 0});
    made.end("finished at step 120");
    const RunData run = made.take();
    const Ledger ledger = make_ledger(run);
    EXPECT_NEAR(ledger.part(TimeUse::kDown), is_down ? week : 0, 1e-3) << reason;
    EXPECT_NEAR(ledger.not_running, is_down ? 0 : week, 1e-3) << reason;
    EXPECT_NEAR(ledger.wall, is_down ? week + 120 : 120, 1e-3) << reason;
    EXPECT_EQ(how_long(run, ledger).finding, is_down ? Grade::kBad : Grade::kNeutral) << reason;
  }
}

// It is killed at step 60, and what it did since step 50 has not been sent.
TEST(Ledger, WhatADeadWorkerHadNotSentIsLost) {
  MadeRun made;
  made.start(0);
  made.steps(1, 40, {0, 1, 0, 0});
  made.save(40, 1);
  made.steps(41, 50, {0, 1, 0, 0});
  made.pass(10);
  made.event("lost_worker", 60);
  made.end("lost worker 1", true);
  made.pass(5);
  made.start(0, 40);
  made.steps(41, 70, {0, 1, 0, 0});
  made.end("finished");
  const Ledger ledger = make_ledger(made.take());
  EXPECT_EQ(ledger.lost_steps, 20);
  EXPECT_NEAR(ledger.part(TimeUse::kLost), 20, 1e-3);
  EXPECT_NEAR(ledger.part(TimeUse::kDown), 5, 1e-3);
  EXPECT_NEAR(ledger.part(TimeUse::kUnaccounted), 0, 1e-3);
}

// 40 steps are undone by the roll-back, and none by the stop, which saves.
TEST(Ledger, WhatARollBackUndoesIsNoDeath) {
  MadeRun made;
  made.start(0);
  made.steps(1, 100, {0, 1, 0, 0});
  made.event("roll_back", 60, {{"from_step", 100}, {"to_step", 60}});
  made.steps(61, 80, {0, 1, 0, 0});
  made.end("stopped by SIGTERM");
  made.start(0, 80);
  made.steps(81, 120, {0, 1, 0, 0});
  made.end("finished at step 120");
  const RunData run = made.take();
  const Ledger ledger = make_ledger(run);
  EXPECT_EQ(ledger.lost_steps, 40);
  const Verdict verdict = how_long(run, ledger);
  EXPECT_EQ(verdict.finding, Grade::kBad);
  EXPECT_THAT(verdict.would_change, Not(HasSubstr("Dying")));
}

// It is killed in its first round of local steps, of which nothing has been sent.
TEST(Ledger, OfARoundThatDiedAllIsLost) {
  MadeRun made(2);
  made.data().config->workers.sync_every = 3000;
  made.start(2);
  made.pass(16.7);
  made.event("lost_worker", 428);
  made.end("lost worker 1", true);
  made.pass(5);
  made.start(2);
  made.steps(1, 3000, {0, 0.04, 0, 0});
  made.end("finished");
  const Ledger ledger = make_ledger(made.take());
  EXPECT_EQ(ledger.lost_steps, 428);
  EXPECT_NEAR(ledger.part(TimeUse::kLost), 16.7, 1e-3);
  EXPECT_NEAR(ledger.part(TimeUse::kStarting), 4, 1e-3);
  EXPECT_NEAR(ledger.part(TimeUse::kUnaccounted), 0, 1e-3);
}

// A tenth of a second between steps is bookkeeping; nobody writes a log for a minute.
TEST(Ledger, BetweenStepsThereIsBookkeeping) {
  MadeRun made;
  made.start(0);
  for (int64_t step = 1; step <= 100; ++step) {
    made.steps(step, step, {0, 0.9, 0, 0});
    made.pass(0.1);
  }
  made.pass(60);
  made.steps(101, 101, {0, 0.9, 0, 0});
  made.end("finished");
  const Ledger ledger = make_ledger(made.take());
  EXPECT_NEAR(ledger.part(TimeUse::kBookkeeping), 9.9 + 0.9, 1e-2);
  EXPECT_NEAR(ledger.part(TimeUse::kUnaccounted), 60.1 - 0.9, 1e-2);
}

TEST(Ledger, WaitingForTheSlowestIsNotTheExchange) {
  MadeRun made(3);
  made.start(0);
  for (int64_t step = 1; step <= 100; ++step) {
    made.step(step, [](int rank) { return MadeStep{0, rank == 2 ? 0.8 : 0.6, 0.1, 0.05}; });
  }
  made.end("finished");
  const Ledger ledger = make_ledger(made.take());
  EXPECT_NEAR(ledger.part(TimeUse::kSlowest), 20, 1e-3);
  EXPECT_NEAR(ledger.part(TimeUse::kExchange), 10, 1e-3);
  ASSERT_EQ(ledger.ranks.size(), 3U);
  EXPECT_NEAR(ledger.ranks[2].parts[static_cast<size_t>(TimeUse::kSlowest)], 0, 1e-3);
  EXPECT_NEAR(ledger.ranks[2].parts[static_cast<size_t>(TimeUse::kExchange)], 10, 1e-3);
  EXPECT_NEAR(ledger.ranks[2].parts[static_cast<size_t>(TimeUse::kCompute)], 80, 1e-3);
}

TEST(Ledger, TheEvaluationBeforeTheFirstStepIsNotStarting) {
  MadeRun made;
  made.event("start", 0);
  made.evaluate(0, 3);
  made.pass(2);
  made.event("ready", 0, {{"seconds", 5}});
  made.data().starts.push_back({0, made.now() - 5, kNotKnown, 0, "", false, {}});
  made.steps(1, 10, {0, 1, 0, 0});
  made.end("finished");
  const Ledger ledger = make_ledger(made.take());
  EXPECT_NEAR(ledger.part(TimeUse::kEvaluation), 3, 1e-3);
  EXPECT_NEAR(ledger.part(TimeUse::kStarting), 2, 1e-3);
  EXPECT_NEAR(ledger.part(TimeUse::kUnaccounted), 0, 1e-3);
}

TEST(Ledger, AClockSetBackBetweenStartsTakesNoTimeAway) {
  MadeRun made;
  made.start(0);
  made.steps(1, 10, {0, 1, 0, 0});
  made.end("stopped");
  made.pass(-1000);
  made.start(0, 10);
  made.steps(11, 20, {0, 1, 0, 0});
  made.end("finished");
  const Ledger ledger = make_ledger(made.take());
  EXPECT_NEAR(ledger.wall, 20, 1e-3);
  EXPECT_NEAR(ledger.part(TimeUse::kDown), 0, 1e-3);
}

TEST(Ledger, OfAnImportedRunOnlyWhatIsKnown) {
  RunData run;
  run.imported = true;
  for (int64_t step = 100; step <= 1000; step += 100) MadeRun::row(run.training, step, {{"seconds_per_step", 1.5}});
  const Ledger ledger = make_ledger(run);
  EXPECT_TRUE(ledger.estimated);
  EXPECT_NEAR(ledger.wall, 1500, 1e-9);
  EXPECT_NEAR(ledger.part(TimeUse::kTraining), 1500, 1e-9);
  EXPECT_EQ(ledger.part(TimeUse::kCompute), 0);
  EXPECT_FALSE(is_known(make_ledger(RunData()).wall));
}

TEST(Ledger, AnImportedRunBeginsLateIfItsLinesAreRegular) {
  for (const auto& [steps, count] : {std::pair(std::vector<int64_t>{1500, 1600, 1700}, int64_t{300}),
                                     {std::vector<int64_t>{1500, 1900, 2000}, int64_t{2000}}}) {
    RunData run;
    run.imported = true;
    for (const int64_t step : steps) MadeRun::row(run.training, step, {{"seconds_per_step", 1.5}});
    EXPECT_EQ(make_ledger(run).steps, count);
  }
}

}  // namespace
}  // namespace verbund
