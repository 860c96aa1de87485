// SPDX-License-Identifier: Apache-2.0
// What the report says of a fine-tuned run, on made runs whose truth is known.
#include <gmock/gmock.h>

#include <fstream>

#include "core/random.h"
#include "record/evaluation_file.h"
#include "report/judge.h"
#include "support/temporary_folder.h"
#include "unit/report/made_run.h"

namespace verbund {
namespace {

using ::testing::StartsWith;

// Words of a made translation that are right, as a share.
struct MadeSet {
  double before = 0.6, after = 0.6;
  size_t sentences = 400;
  bool same_errors = false;  // after as before, as far as as many words are right
};

Evaluation made_evaluation(size_t sentences, double right, uint64_t seed) {
  constexpr size_t kWords = 15;
  Random random(seed, 1);
  Segments references;
  Evaluation evaluation;
  for (size_t i = 0; i < sentences; ++i) {
    std::string reference, translation;
    for (size_t word = 0; word < kWords; ++word) {
      const std::string next = fmt::format(" w{}", (i * kWords + word) % 997);
      reference += next;
      translation += static_cast<double>(random.below(1000)) < 1000 * right ? next : " x";
    }
    references.push_back(reference.substr(1));
    evaluation.translations.push_back(translation.substr(1));
    const double noise = static_cast<double>(random.below(1000)) / 1000;
    evaluation.sentences.push_back({kWords * (2 - right) + noise, kWords});
  }
  evaluation.bleu_statistics = bleu_statistics(evaluation.translations, {references});
  evaluation.chrf_statistics = chrf_statistics(evaluation.translations, {references});
  return evaluation;
}

class FineTuning : public ::testing::Test {
 protected:
  // A run with its own dev set and that of the run before, evaluated at steps 0, 100 and 200; 100 is the best.
  RunData run(const MadeSet& own, const MadeSet& general, uint64_t seed = 1) {
    MadeRun made;
    RunData& data = made.data();
    data.folder = folder_.path();
    data.config->train.start_from = "runs/general";
    data.config->evaluate.also = {{"general", "data/general"}};
    for (const int64_t step : {0, 100, 200}) {
      MadeRun::row(data.evaluations, step,
                   {{"dev_bleu", step == 100 ? 40.0 : 30.0},
                    {"dev-general_bleu", 30.0},
                    {"dev_cross_entropy", 2.0},
                    {"dev-general_cross_entropy", 2.0}});
      if (step == 200) continue;  // neither the first nor the best
      keep("", step, own, 10 * seed);
      keep("general", step, general, 10 * seed + 5);
    }
    return made.take();
  }

  void keep(const std::string& set, int64_t step, const MadeSet& made, uint64_t seed) {
    const fs::path file = evaluation_file(folder_.path(), step, set);
    fs::create_directories(file.parent_path());
    const double right = step == 0 ? made.before : made.after;
    std::ofstream(file) << evaluation_text(
        made_evaluation(made.sentences, right, made.same_errors ? seed : seed + static_cast<uint64_t>(step) / 100));
  }

  TemporaryFolder folder_;
};

TEST_F(FineTuning, ItForgot) {
  const Verdict verdict = fine_tuning(run({0.5, 0.8}, {0.8, 0.5}));
  EXPECT_EQ(verdict.finding, Grade::kNeutral);  // a bargain: something gained, something lost
  EXPECT_GT(*find_figure(verdict, "difference in BLEU").low, 0);
  const Figure forgotten = find_figure(verdict, "difference in BLEU, general");
  EXPECT_LT(*forgotten.high, 0);
  EXPECT_TRUE((Bounds{*forgotten.low, *forgotten.high}.contains(forgotten.value)));
  EXPECT_NEAR(forgotten.value,
              find_figure(verdict, "BLEU after, general").value - find_figure(verdict, "BLEU before, general").value,
              1e-9);
  EXPECT_NEAR(find_figure(verdict, "difference in loss, general").value, 0.3, 0.05);
  EXPECT_GT(*find_figure(verdict, "difference in loss, general").low, 0);
  EXPECT_EQ(find_figure(verdict, "step of the second evaluation").value, 100);
  EXPECT_EQ(fine_tuning(run({0.6, 0.6}, {0.8, 0.5})).finding, Grade::kBad);  // lost, and for nothing
  EXPECT_EQ(fine_tuning(run({0.8, 0.5}, {0.6, 0.6})).finding, Grade::kBad);
}

TEST_F(FineTuning, ItForgotTheLittleThatItKnew) {
  const Verdict verdict = fine_tuning(run({0.5, 0.8}, {0.18, 0.14, 2000}));
  const Figure difference = find_figure(verdict, "difference in BLEU, general");
  EXPECT_GT(*difference.low, -1);  // of 1.4 BLEU
  EXPECT_LT(*difference.high, 0);
  EXPECT_EQ(verdict.finding, Grade::kNeutral);
}

TEST_F(FineTuning, ItForgotNothing) {
  RunData kept = run({0.5, 0.8}, {0.8, 0.797, 400, true});
  EXPECT_EQ(fine_tuning(kept).finding, Grade::kGood);
  const Figure difference = find_figure(fine_tuning(kept), "difference in BLEU, general");
  EXPECT_LT(difference.value, 0);  // surely, but hardly
  EXPECT_GE(*difference.low, -1);
  EXPECT_EQ(fine_tuning(run({0.5, 0.8}, {0.5, 0.8})).finding, Grade::kGood);
}

TEST_F(FineTuning, ItCannotBeTold) {
  const Verdict verdict = fine_tuning(run({0.6, 0.6, 30}, {0.6, 0.58, 30}));
  EXPECT_EQ(verdict.finding, Grade::kCannotTell);
  EXPECT_THAT(verdict.sentence, StartsWith(std::string(kCannotTellBecause)));
  EXPECT_LT(*find_figure(verdict, "difference in BLEU, general").low, -1);
  EXPECT_GT(*find_figure(verdict, "difference in BLEU, general").high, 0);
}

TEST_F(FineTuning, WhereNothingChangesItRarelySaysSo) {
  int alarms = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const Verdict verdict = fine_tuning(run({0.6, 0.6, 60}, {0.6, 0.6, 60}, seed));
    const Figure difference = find_figure(verdict, "difference in BLEU, general");
    alarms += *difference.high < 0 || *difference.low > 0 ? 1 : 0;
  }
  EXPECT_LE(alarms, 8);  // 3 expected; more than 8 comes once in several hundred trials
}

TEST_F(FineTuning, WithoutARecordOfBeforeItCannotTell) {
  RunData none = run({0.5, 0.8}, {0.8, 0.5});
  fs::remove(evaluation_file(folder_.path(), 0, "general"));
  const Verdict partly = fine_tuning(none);  // the gain alone
  EXPECT_EQ(partly.finding, Grade::kGood);
  EXPECT_GT(*find_figure(partly, "difference in BLEU").low, 0);
  keep("", 0, {0.5, 0.5, 399}, 3);  // other sentences
  EXPECT_EQ(fine_tuning(none).finding, Grade::kCannotTell);
  fs::remove(evaluation_file(folder_.path(), 0));
  EXPECT_EQ(fine_tuning(none).finding, Grade::kCannotTell);
}

TEST_F(FineTuning, OnlyAFineTunedRunIsAsked) {
  RunData tuned = run({0.5, 0.8}, {0.8, 0.5});
  const auto asked = [&] {
    return std::ranges::count(judge(tuned), "fine_tuning", [](const Verdict& verdict) { return verdict.id; });
  };
  EXPECT_EQ(asked(), 1);
  tuned.config->train.start_from.clear();
  EXPECT_EQ(asked(), 0);
}

}  // namespace
}  // namespace verbund
