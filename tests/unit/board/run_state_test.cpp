// SPDX-License-Identifier: Apache-2.0
#include "board/run_state.h"

#include <gtest/gtest.h>

namespace verbund {
namespace {

RunSigns signs_at_work() {
  RunSigns signs;
  signs.has_starts = signs.locked = true;
  signs.quiet = 0.5;
  signs.step = 130;
  signs.evaluated = 100;
  signs.eval_every = 50;
  signs.last_step = 1000;
  return signs;
}

TEST(RunState, ARunAtWorkTrainsOrEvaluates) {
  RunSigns signs = signs_at_work();
  EXPECT_EQ(judge_state(signs), RunState::kTraining);
  signs.step = 150;  // due, and not on record yet
  EXPECT_EQ(judge_state(signs), RunState::kEvaluating);
  signs.evaluated = 150;
  EXPECT_EQ(judge_state(signs), RunState::kTraining);
  signs.step = 1000;
  signs.eval_every = 300;
  EXPECT_EQ(judge_state(signs), RunState::kEvaluating);
  signs.step = 0;
  signs.evaluated = -1;
  EXPECT_EQ(judge_state(signs), RunState::kTraining);
  signs.evaluates_first = true;
  EXPECT_EQ(judge_state(signs), RunState::kEvaluating);
}

TEST(RunState, AQuietRunIsLostUnlessAProcessHoldsItsFolder) {
  RunSigns signs = signs_at_work();
  signs.quiet = 3600;
  EXPECT_EQ(judge_state(signs), RunState::kTraining);
  signs.locked = false;
  EXPECT_EQ(judge_state(signs), RunState::kLost);
  signs.quiet = kQuietUntilLost / 2;  // another host may hold it, on a file system that does not tell
  EXPECT_EQ(judge_state(signs), RunState::kTraining);
  signs = {};
  EXPECT_EQ(judge_state(signs), RunState::kUnclear);
}

TEST(RunState, TheReasonOfTheEndDecides) {
  RunSigns signs = signs_at_work();
  for (const auto& [reason, state] : {std::pair{"finished at step 1000", RunState::kFinished},
                                      {"stopped by SIGTERM at step 312", RunState::kStopped},
                                      {"lost worker 1 on b: it does not answer", RunState::kLost},
                                      {"killed", RunState::kLost},
                                      {"No space left on device", RunState::kFailed}}) {
    signs.reason = reason;
    EXPECT_EQ(judge_state(signs), state) << reason;
  }
  signs.diverged = true;
  EXPECT_EQ(judge_state(signs), RunState::kDiverged);
  signs = {};
  signs.imported = true;
  EXPECT_EQ(judge_state(signs), RunState::kImported);
}

}  // namespace
}  // namespace verbund
