// SPDX-License-Identifier: Apache-2.0
// Verdicts on training progress and divergence, for known curves.
#include <cmath>

#include "report/judge.h"
#include "report/run_page.h"
#include "statistics/power_law.h"
#include "support/normal_numbers.h"
#include "unit/report/made_run.h"

namespace verbund {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kGain = "gain of twice the steps";

// An evaluation every 1,000 steps; the warm-up is over after 1,000.
template <typename Curve>
RunData run_with_curve(Curve curve, size_t evaluations, double noise, uint64_t seed = 1) {
  RunData run;
  run.config.emplace();
  run.config->schedule.warmup_steps = 1000;
  NormalNumbers numbers(seed);
  for (size_t i = 1; i <= evaluations; ++i) {
    const double step = 1000 * static_cast<double>(i), loss = curve(step) + noise * numbers.next();
    MadeRun::row(run.evaluations, static_cast<int64_t>(step),
                 {{"dev_cross_entropy", loss}, {"dev_bleu", 60 - 15 * loss}});
    MadeRun::row(run.training, static_cast<int64_t>(step), {{"learning_rate", 1e-3}});
  }
  return run;
}

Verdict judged(const RunData& run) { return fully_trained(run, make_ledger(run)); }

TEST(FullyTrained, AFallingCurveIsNotThrough) {
  const PowerLaw truth = {1.2, 60, 0.5};
  const Verdict verdict = judged(run_with_curve([&](double s) { return truth.at(s); }, 30, 0.005));
  EXPECT_EQ(verdict.finding, Grade::kBad);
  EXPECT_NEAR(find_figure(verdict, kGain).value, truth.at(30000) - truth.at(60000), 0.02);
  EXPECT_NEAR(find_figure(verdict, "the same in BLEU").value, 15 * (truth.at(30000) - truth.at(60000)), 0.4);
  EXPECT_EQ(verdict.charts.front().series.back().drawn, Drawn::kBand);
}

TEST(FullyTrained, AFlatCurveIs) {
  const Verdict verdict = judged(run_with_curve([](double s) { return 2 + 3 * std::exp(-s / 1500); }, 40, 0.001));
  EXPECT_EQ(verdict.finding, Grade::kGood) << verdict.sentence;
}

TEST(FullyTrained, ARisingCurveIsPastItsBest) {
  const Verdict verdict =
      judged(run_with_curve([](double s) { return 2 + std::pow((s - 8000) / 20000, 2); }, 30, 0.001));
  EXPECT_EQ(verdict.finding, Grade::kBad);
  EXPECT_THAT(verdict.sentence, HasSubstr("at step 8,000"));
}

TEST(FullyTrained, ARateThatDecaysToNothingFlattensAnyCurve) {
  RunData run = run_with_curve([](double s) { return 2 + 3 * std::exp(-s / 1500); }, 40, 0.001);
  run.config->schedule.policy = SchedulePolicy::kCosineDecay;
  run.training.columns["learning_rate"].back() = 1e-6;
  const Verdict verdict = judged(run);
  EXPECT_EQ(verdict.finding, Grade::kCannotTell);
  EXPECT_THAT(verdict.sentence, HasSubstr("0.1 %"));
}

TEST(FullyTrained, SaysWhenThereIsTooLittleToGoBy) {
  const auto curve = [](double s) { return 2 + 50 / std::sqrt(s); };
  EXPECT_THAT(judged(run_with_curve(curve, 7, 0.001)).sentence, HasSubstr("only 7 evaluations"));
  EXPECT_LT(
      find_figure(judged(run_with_curve(curve, 7, 0.001)), "change of the dev loss per 1,000 steps, lately").value, 0);
  RunData late = run_with_curve(curve, 30, 0.001);
  late.config->schedule.warmup_steps = 10000;  // from 10,000 to 30,000
  EXPECT_THAT(judged(late).sentence, HasSubstr("10,000 to 30,000"));
  EXPECT_EQ(judged(RunData()).finding, Grade::kCannotTell);
}

TEST(FullyTrained, ACurveThatBendsIsNotBelieved) {
  const Verdict verdict =
      judged(run_with_curve([](double s) { return 4 - (s > 24000 ? 1.0 : 0.0) + 20 / std::sqrt(s); }, 30, 0.002));
  EXPECT_EQ(verdict.finding, Grade::kCannotTell);
  EXPECT_THAT(verdict.sentence, HasSubstr("last fifth"));
}

TEST(FullyTrained, OnlyTheLastStageIsFitted) {
  const PowerLaw truth = {1.2, 60, 0.5};
  const auto curve = [&](double s) { return truth.at(s) + (s > 5000 ? 1 : 0); };
  RunData run = run_with_curve(curve, 30, 0.005);
  HistoryEvent stage;
  stage.event = "stage";
  stage.line = {{"stage", 2}, {"name", "office"}};
  stage.step = 5000;
  run.history = {stage};
  const Verdict verdict = judged(run);
  EXPECT_EQ(verdict.finding, Grade::kBad) << verdict.sentence;
  EXPECT_NEAR(find_figure(verdict, kGain).value, truth.at(30000) - truth.at(60000), 0.03);
  run.history[0].step = 20000;
  EXPECT_THAT(judged(run).sentence, AllOf(HasSubstr("office"), HasSubstr("21,000 to 30,000")));
  run.history[0].step = 27000;
  EXPECT_THAT(judged(run).sentence, AllOf(HasSubstr("office"), HasSubstr("3 evaluations")));
}

// A loss that has risen by more than chance, and a fitted curve that can only fall, are not told together.
TEST(FullyTrained, ARisenLossIsNotFitted) {
  const PowerLaw truth = {1.2, 60, 0.5};
  RunData run = run_with_curve([&](double s) { return truth.at(s); }, 30, 0.005);
  for (const int64_t step : {10000, 20000, 30000}) {
    SentenceLosses losses{step, {}, std::vector<double>(100, 20.0)};
    for (int i = 0; i < 100; ++i) losses.cross_entropy.push_back(step == 30000 ? 22 + 0.01 * i : 20 + 0.01 * i);
    run.sentence_losses.push_back(losses);
  }
  const Verdict verdict = judged(run);
  EXPECT_EQ(verdict.finding, Grade::kCannotTell);
  EXPECT_THAT(verdict.sentence, HasSubstr("9.8 %"));
}

TEST(FullyTrained, TheSummaryDoesNotAskForMoreStepsPastTheBest) {
  const RunData run = run_with_curve([](double s) { return 2 + std::pow((s - 8000) / 20000, 2); }, 30, 0.001);
  EXPECT_NE(judged(run).in_short, "");
  EXPECT_NE(judged(run).in_short,
            judged(run_with_curve([](double s) { return 1.2 + 60 / std::sqrt(s); }, 30, 0.005)).in_short);
}

// What is said to hold in 80 % of the cases has to, among those in which something is said.
TEST(FullyTrained, TheIntervalCoversTheTruth) {
  int covered = 0, told = 0;
  for (uint64_t i = 0; i < 50; ++i) {
    const PowerLaw truth = {1 + 0.01 * static_cast<double>(i), 30.0 + static_cast<double>(i % 20), 0.5};
    const Verdict verdict = judged(run_with_curve([&](double s) { return truth.at(s); }, 25, 0.01, 500 + i));
    if (verdict.finding == Grade::kCannotTell) continue;
    const Figure gain = find_figure(verdict, kGain);
    ++told;
    covered += Bounds{*gain.low, *gain.high}.contains(truth.at(25000) - truth.at(50000));
  }
  EXPECT_GE(told, 38);
  EXPECT_NEAR(covered, 0.8 * told, 0.14 * told);
}

TEST(Diverged, NaNToTheEndIsNamedWithTheHours) {
  RunData run;
  for (int64_t step = 100; step <= 10000; step += 100) {
    MadeRun::row(run.training, step, {{"train_loss", step < 4000 ? 3.0 : kNotKnown}}, 10.0 * static_cast<double>(step));
    if (step >= 4000) run.training.not_finite["train_loss"].push_back(run.training.rows() - 1);
  }
  const Ledger ledger = make_ledger(run);
  const auto found = find_divergence(run, ledger);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->step, 4000);
  EXPECT_EQ(found->steps_after, 6000);
  EXPECT_NEAR(found->seconds_after, 60000, 1);
  EXPECT_THAT(diverged(run, *found).sentence,
              AllOf(HasSubstr("step 4,000: the training loss"), HasSubstr("6,000 steps, 16 h")));
  EXPECT_THAT(fully_trained(run, ledger).sentence, HasSubstr("diverged at step 4,000"));
  EXPECT_EQ(fully_trained(run, ledger).finding, Grade::kBad);
}

TEST(Diverged, AnExplosionThatNeverComesBackIs) {
  RunData run;
  for (int64_t step = 1; step <= 100; ++step) MadeRun::row(run.training, step, {{"train_loss", step < 60 ? 2.0 : 9.0}});
  EXPECT_EQ(find_divergence(run, make_ledger(run))->step, 60);
}

// As a real run went: the loss explodes, and some thousand steps later it is no longer a number.
TEST(Diverged, BothTheExplosionAndTheFirstNaNAreTold) {
  RunData run;
  for (int64_t step = 100; step <= 10000; step += 100) {
    const double loss = step < 2000 ? 6.0 : step < 7000 ? 14.0 : kNotKnown;
    MadeRun::row(run.training, step, {{"train_loss", loss}});
    if (!is_known(loss)) run.training.not_finite["train_loss"].push_back(run.training.rows() - 1);
  }
  const auto found = find_divergence(run, make_ledger(run));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->step, 2000);
  EXPECT_EQ(found->not_a_number, 7000);
  EXPECT_THAT(diverged(run, *found).sentence, HasSubstr("step 7,000"));
}

// The log says "diverged at step 2": one step was done, and the loss of the next showed it.
TEST(Diverged, TheStepIsThatOfTheLog) {
  MadeRun made;
  made.start(1);
  made.steps(1, 1);
  made.event("diverged", 1, {{"reason", "the loss is 8.803e+06"}});
  made.end("ended at step 1: training diverged at step 2: the loss is 8.803e+06.");
  const RunData run = made.take();
  const Ledger ledger = make_ledger(run);
  const auto found = find_divergence(run, ledger);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->step, 2);
  EXPECT_THAT(diverged(run, *found).sentence, HasSubstr("diverged at step 2"));
  EXPECT_THAT(how_long(run, ledger).sentence, AllOf(HasSubstr("1 step:"), Not(HasSubstr("1 steps"))));
  const std::string note = run_page(run, "verbund").notes.front();
  EXPECT_TRUE(note.ends_with("e+06.")) << note;
}

TEST(Diverged, WhatWasUndoneIsNot) {
  MadeRun made;
  made.start(1);
  made.steps(1, 10);
  made.event("diverged", 10, {{"reason", "the loss is 8.803e+06"}});
  made.event("roll_back", 5, {{"from_step", 10}, {"to_step", 5}});
  made.steps(6, 8);
  for (int64_t step = 1; step <= 8; ++step) MadeRun::row(made.data().training, step, {{"train_loss", 2.0}});
  const RunData run = made.take();
  EXPECT_FALSE(find_divergence(run, make_ledger(run)));
}

TEST(Diverged, ASpikeOrASkippedStepIsNot) {
  RunData run;
  for (int64_t step = 1; step <= 100; ++step)
    MadeRun::row(run.training, step, {{"train_loss", step == 60 ? 9.0 : 2.0}});
  run.training.columns["train_loss"][30] = kNotKnown;
  run.training.not_finite["train_loss"] = {30};
  EXPECT_FALSE(find_divergence(run, make_ledger(run)));
}

// Dropout is named where there is some.
TEST(FullyTrained, TheLegendKnowsOfDropout) {
  for (const double dropout : {0.0, 0.1}) {
    RunData run;
    run.config.emplace();
    ModelConfig& model = run.config->model;
    model.dropout = model.attention_dropout = model.relu_dropout = dropout;
    MadeRun::row(run.training, 10, {{"train_cross_entropy", 5}, {"train_loss", 4}});
    MadeRun::row(run.evaluations, 10, {{"dev_cross_entropy", 5.5}, {"dev_loss", 4.5}});
    const Series training = fully_trained(run, make_ledger(run)).charts.front().series.front();
    EXPECT_EQ(training.name.find("dropout") != std::string::npos, dropout > 0);
    EXPECT_EQ(training.y.front(), 5) << "the loss is the cross-entropy";
  }
}

}  // namespace
}  // namespace verbund
