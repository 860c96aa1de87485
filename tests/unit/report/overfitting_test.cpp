// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "report/judge.h"
#include "support/normal_numbers.h"
#include "unit/report/made_run.h"

namespace verbund {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Verdict verdict_of(const RunData& run) { return overfitting(run, make_ledger(run)); }

// 300 sentences of 20 tokens, each with a difficulty of its own, judged every 1,000 steps.
template <typename Curve>
RunData run_with_sentences(Curve loss, uint64_t seed = 1, double noise = 0.05) {
  RunData run;
  NormalNumbers numbers(seed);
  const std::vector<double> difficulty = numbers.take(300);
  for (int64_t step = 1000; step <= 20000; step += 1000) {
    SentenceLosses losses;
    losses.step = step;
    double sum = 0;
    for (const double own : difficulty) {
      losses.tokens.push_back(20);
      losses.cross_entropy.push_back(20 * (loss(static_cast<double>(step)) + 0.3 * own + noise * numbers.next()));
      sum += losses.cross_entropy.back();
    }
    run.sentence_losses.push_back(losses);
    MadeRun::row(run.evaluations, step, {{"dev_cross_entropy", sum / 6000}, {"dev_bleu", 20}});
    MadeRun::row(run.training, step, {{"epoch", static_cast<double>(step) / 2000}});
  }
  return run;
}

double planted(double step) { return 2 + 0.5 * std::pow((step - 12000) / 12000, 2); }

TEST(Overfitting, FindsAPlantedMinimum) {
  const Verdict verdict = verdict_of(run_with_sentences(planted, 1, 0.01));
  EXPECT_EQ(verdict.finding, Grade::kBad);
  EXPECT_THAT(verdict.sentence, HasSubstr("step 12,000"));
  EXPECT_LT(find_figure(verdict, "p of no rise").value, 0.05);
}

TEST(Overfitting, BothLossAndBleuRisingIsOverConfidence) {
  RunData run = run_with_sentences(planted);
  for (size_t i = 0; i < 20; ++i) run.evaluations.columns["dev_bleu"][i] = 20 + static_cast<double>(i);
  const Verdict verdict = verdict_of(run);
  EXPECT_EQ(verdict.finding, Grade::kNeutral);
  EXPECT_THAT(verdict.sentence, HasSubstr("BLEU"));
}

TEST(Overfitting, AFallingLossIsNone) {
  EXPECT_EQ(verdict_of(run_with_sentences([](double s) { return 2 + 1000 / s; }, 1, 0.01)).finding, Grade::kGood);
}

TEST(Overfitting, PureNoiseAlarmsAtMostOnceInTwenty) {
  int alarms = 0;
  for (uint64_t seed = 0; seed < 150; ++seed) {
    alarms += verdict_of(run_with_sentences([](double) { return 2.0; }, seed)).finding == Grade::kBad;
  }
  EXPECT_LE(alarms, 12);  // 7.5 expected; more than 12 comes once in twenty trials
}

TEST(Overfitting, TheDistanceToTrainingPairsIsToldWithItsGrowth) {
  RunData run = run_with_sentences([](double s) { return 2 + 1000 / s; }, 1, 0.01);
  for (size_t i = 0; i < 20; ++i) {
    run.evaluations.columns["probe_cross_entropy"].push_back(run.evaluations.columns["dev_cross_entropy"][i] -
                                                             0.01 * static_cast<double>(i));
  }
  const Verdict verdict = verdict_of(run);
  EXPECT_NEAR(find_figure(verdict, "its growth per 1,000 steps").value, 0.01, 1e-6);
  EXPECT_THAT(verdict.sentence, HasSubstr("0.010 per 1,000 steps"));
}

TEST(Overfitting, SaysWhyItCannotTell) {
  RunData first_epoch = run_with_sentences(planted);
  for (double& epoch : first_epoch.training.columns["epoch"]) epoch /= 100;
  EXPECT_THAT(verdict_of(first_epoch).sentence, AllOf(StartsWith("Cannot tell"), HasSubstr("0.100 of an epoch")));
  RunData imported = run_with_sentences(planted);
  imported.sentence_losses.clear();
  imported.imported = true;
  EXPECT_THAT(verdict_of(imported).sentence, AllOf(StartsWith("Cannot tell"), HasSubstr("step 12,000")));
  EXPECT_EQ(verdict_of(RunData()).finding, Grade::kCannotTell);
}

TEST(Overfitting, ABrokenModelIsNotJudged) {
  RunData run = run_with_sentences([](double s) { return 2 + 1000 / s; }, 1, 0.01);
  for (int64_t step = 1; step <= 20; ++step) {
    MadeRun::row(run.training, 100 * step, {{"train_loss", step < 10 ? 5.0 : std::nan("")}});
    if (step >= 10) run.training.not_finite["train_loss"].push_back(run.training.rows() - 1);
  }
  EXPECT_THAT(verdict_of(run).sentence, AllOf(StartsWith("Cannot tell"), HasSubstr("diverged at step 1,000")));
}

}  // namespace
}  // namespace verbund
