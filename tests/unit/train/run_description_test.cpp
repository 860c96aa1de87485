// SPDX-License-Identifier: Apache-2.0
#include "train/run_description.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace verbund {
namespace {

using ::testing::ElementsAre;

RunSummary made_summary() {
  RunSummary summary;
  summary.end = "finished";
  summary.steps = 100000;
  summary.wall_seconds = 1000;
  summary.times.starting = 10;
  summary.times.steps = {900, 100000};
  summary.times.waiting = 20;
  summary.times.first_look = 5;
  summary.times.evaluations = {70, 10};
  summary.times.saves = {5, 20};
  summary.best = {{"bleu", {27.341, 98000}}, {"loss", {1.23456, 97000}}};
  summary.run = "runs/base";
  summary.model = "runs/base/checkpoints/best";
  summary.source_language = "en";
  summary.target_language = "de";
  return summary;
}

TEST(RunSummary, SaysWhatTheTimeWentToWhatWasBestAndWhatToDo) {
  EXPECT_THAT(
      summary_lines(made_summary()),
      ElementsAre("finished: 100,000 steps in 16 min 40 s",
                  "  time   88.0 % training, 7.5 % evaluation, 0.5 % saving, 2.0 % waiting for data, 1.0 % starting",
                  "  best   BLEU 27.34 (step 98,000), loss 1.2346 (step 97,000)", "  model  runs/base/checkpoints/best",
                  "  use    verbund translate -m runs/base < text.en > text.de"));
}

TEST(RunSummary, TellsToTranslateWithATagIfAllTrainingTextHadOne) {
  RunSummary summary = made_summary();
  summary.tags = {"<2de>", "<2fr>"};
  EXPECT_EQ(summary_lines(summary).back(), "  use    verbund translate -m runs/base --tag '<2de>' < text.en > text.de");
}

TEST(RunSummary, OfAPartThatWasStoppedBeforeAnyEvaluation) {
  RunSummary summary = made_summary();
  summary.end = "stopped";
  summary.steps = 250;
  summary.first_step = 200;
  summary.best.clear();
  summary.model.clear();
  EXPECT_EQ(summary_lines(summary).front(), "stopped: 250 steps, from step 200 on in 16 min 40 s");
  EXPECT_EQ(summary_lines(summary).size(), 2U);
}

TEST(RunSummary, FitsIntoAHundredColumns) {
  RunSummary summary = made_summary();
  summary.steps = summary.first_step = 1000000;
  summary.wall_seconds = 20 * 24 * 3600;
  summary.times.steps.seconds = summary.wall_seconds;
  summary.best = {{"bleu", {100, 1000000}}, {"chrf", {100, 1000000}}, {"loss", {10, 1000000}}};
  summary.run = "/home/somebody/experiments/runs/transformer";
  for (const std::string& line : summary_lines(summary)) EXPECT_LE(line.size(), 100U) << line;
}

}  // namespace
}  // namespace verbund
