// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "report/judge.h"
#include "support/normal_numbers.h"
#include "unit/report/made_run.h"

namespace verbund {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
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

// 0.6 of an epoch of the mixture are 46 of the small corpus.
TEST(Overfitting, TheCorpusSeenMostOftenCounts) {
  RunData run = run_with_sentences(planted, 1, 0.01);
  run.record["dataset"]["corpora"] = {{{"name", "gen"}, {"pairs", 8000}, {"usable_pairs", 7998}},
                                      {{"name", "tiny"}, {"pairs", 100}, {"usable_pairs", 100}}};
  const auto see = [&](double gen, double tiny) {
    for (double& epoch : run.training.columns["epoch"]) epoch = 0.6;
    run.training.columns["pairs_seen.gen"] = std::vector<double>(20, gen);
    run.training.columns["pairs_seen.tiny"] = std::vector<double>(20, tiny);
  };
  see(240, 4649);
  EXPECT_EQ(verdict_of(run).finding, Grade::kBad);
  see(240, 90);
  EXPECT_EQ(verdict_of(run).finding, Grade::kCannotTell);
  run.training.columns["epochs_seen.dropped"] = std::vector<double>(20, 3.0);  // by a forced resume
  EXPECT_EQ(verdict_of(run).finding, Grade::kBad);
}

// What the model of a fine-tuned run had seen before is not known.
TEST(Overfitting, AFineTunedRunDoesNotPromiseUnseenPairs) {
  RunData run = run_with_sentences(planted);
  for (double& epoch : run.training.columns["epoch"]) epoch /= 100;
  const std::string alone = verdict_of(run).sentence;
  run.config.emplace();
  run.config->train.start_from = "runs/base";
  EXPECT_EQ(verdict_of(run).finding, Grade::kCannotTell);
  EXPECT_NE(verdict_of(run).sentence, alone);
  EXPECT_THAT(verdict_of(run).sentence, Not(HasSubstr("no pair twice")));
}

// The loss of all dev sentences rises because the last stage draws one corpus only.
TEST(Overfitting, AStageThatForgetsIsNotOverfitting) {
  RunData run = run_with_sentences(planted, 1, 0.01);
  HistoryEvent stage;
  stage.event = "stage";
  stage.step = 11000;
  stage.line = {{"stage", 2}, {"name", "office"}};
  run.history = {stage};
  for (size_t i = 0; i < 20; ++i) {
    run.evaluations.columns["dev-euro_cross_entropy"].push_back(5 + 0.01 * static_cast<double>(i));
    run.evaluations.columns["dev-multi_cross_entropy"].push_back(4 - 0.01 * static_cast<double>(i));
  }
  const Verdict verdict = verdict_of(run);
  EXPECT_EQ(verdict.finding, Grade::kCannotTell);
  EXPECT_THAT(verdict.sentence, AllOf(HasSubstr("office"), HasSubstr("11,000"), HasSubstr("step 12,000")));
  EXPECT_NEAR(find_figure(verdict, "change of the loss, euro").value, 0.08, 1e-6);
  EXPECT_NEAR(find_figure(verdict, "change of the loss, multi").value, -0.08, 1e-6);
  run.history[0].step = 18500;  // two evaluations since then
  EXPECT_THAT(verdict_of(run).sentence, AllOf(StartsWith("Cannot tell"), HasSubstr("2 evaluations")));
  HistoryEvent resume;
  resume.event = "resume";
  resume.line = {{"from_step", 18000}};
  run.history.push_back(resume);  // the stage was undone
  EXPECT_EQ(verdict_of(run).finding, Grade::kBad);
}

TEST(Overfitting, WithinTheLastStageANoIsANo) {
  RunData run = run_with_sentences([](double s) { return s < 10000 ? 2.0 : 3 + 1000 / s; }, 1, 0.01);
  EXPECT_EQ(verdict_of(run).finding, Grade::kBad);
  for (int64_t step = 1000; step <= 20000; step += 1000)
    run.training.columns["stage"].push_back(step < 10000 ? 1 : 2);  // there is no history
  EXPECT_EQ(verdict_of(run).finding, Grade::kGood) << verdict_of(run).sentence;
}

// A resume with other settings is such a change, too.
TEST(Overfitting, AForcedResumeIsAChange) {
  RunData run = run_with_sentences(planted, 1, 0.01);
  HistoryEvent resume;
  resume.event = "resume";
  resume.start = 1;
  resume.line = {{"from_step", 11000}};
  run.history = {resume};
  run.starts = {StartFacts{.number = 0}, StartFacts{.number = 1, .step = 11000}};
  EXPECT_EQ(verdict_of(run).finding, Grade::kBad);
  run.starts[1].differences = {"the mixture was a, is now b"};
  EXPECT_EQ(verdict_of(run).finding, Grade::kCannotTell);
  HistoryEvent roll_back;
  roll_back.event = "roll_back";
  roll_back.start = 1;
  roll_back.line = {{"from_step", 11100}, {"to_step", 10900}};
  run.history.push_back(roll_back);
  EXPECT_EQ(verdict_of(run).finding, Grade::kCannotTell) << "the settings stay";
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
