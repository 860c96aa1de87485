// SPDX-License-Identifier: Apache-2.0
// The summary, the first answer and the strip of made runs whose truth is known.
#include <gmock/gmock.h>

#include "core/file.h"
#include "report/run_page.h"
#include "report/run_parts.h"
#include "support/temporary_folder.h"
#include "unit/report/made_run.h"

namespace verbund {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr int kSentences = 40;
const std::string kReference = "der alte Baum steht am Fluss";  // six words

// A translation with its first `right` words right.
std::string made_translation(int right) {
  std::string text;
  size_t start = 0;
  for (int word = 0; word < 6; ++word) {
    const size_t end = std::min(kReference.find(' ', start), kReference.size());
    text += (word > 0 ? " " : "") + (word < right ? kReference.substr(start, end - start) : fmt::format("x{}", word));
    start = end + 1;
  }
  return text;
}

// A finished run of 800 steps in a folder of its own: eight evaluations with these BLEUs, whose last one has kept its
// sentences. Sentence i has i % 4 + `right` words right. A last BLEU that is not known is that of these sentences.
class JudgedRun {
 public:
  explicit JudgedRun(std::vector<double> bleu, int right = 3, const std::string& source = "the old tree") {
    made.data().folder = folder_.path();
    made.data().config->train.max_steps = 800;
    make_folder(folder_.path() / "evaluations");
    std::string dev, kept;
    Segments hypotheses;
    for (int i = 0; i < kSentences; ++i) {
      const std::string translation = made_translation(std::min(6, right + i % 4));
      dev += dump_json(Json{{"source", source}, {"reference", kReference}}) + "\n";
      kept += dump_json(Json{{"translation", translation},
                             {"cross_entropy", 7.0},
                             {"tokens", 7},
                             {"bleu", columns_of(bleu_statistics({translation}, {{kReference}})[0])},
                             {"chrf", columns_of(chrf_statistics({translation}, {{kReference}})[0])}}) +
              "\n";
      hypotheses.push_back(translation);
    }
    corpus = corpus_bleu(hypotheses, {Segments(kSentences, kReference)}).score;
    if (!is_known(bleu.back())) bleu.back() = corpus;
    write_file(folder_.path() / "evaluations" / "dev.jsonl", dev);
    const fs::path file = folder_.path() / "evaluations" / "step-00000800.jsonl";
    write_file(file, kept);
    made.data().evaluation_files = {{800, file}};
    for (size_t i = 0; i < bleu.size(); ++i) {
      MadeRun::row(made.data().evaluations, 100 * static_cast<int64_t>(i + 1),
                   {{"dev_bleu", bleu[i]}, {"dev_chrf", bleu[i] + 20}, {"dev_cross_entropy", 3 - 0.1 * double(i)}});
    }
    for (int64_t step = 10; step <= 800; step += 10) {
      MadeRun::row(made.data().training, step,
                   {{"train_cross_entropy", 3}, {"learning_rate", 1e-3}, {"target_tokens_per_second", 5000}});
    }
  }

  void train_to_the_end() {
    made.start(1);
    made.steps(1, 800, {0, 1, 0, 0});
    made.end("finished at step 800");
  }

  Page page() { return run_page(made.take(), "verbund"); }  // once

  MadeRun made;
  double corpus = 0;  // BLEU of the kept sentences

 private:
  TemporaryFolder folder_;
};

const std::vector<double> kRising = {20, 25, 30, 33, 36, 39, 42, 45};
const std::vector<double> kKept = {20, 25, 30, 33, 36, 39, 42, kNotKnown};

TEST(RunSummary, AGoodRunThatStillRises) {
  JudgedRun good(kKept);
  good.train_to_the_end();
  const Page page = good.page();
  EXPECT_EQ(page.state, "finished");
  EXPECT_EQ(page.summary, fmt::format("Trained to the end, 800 steps in 13 min 21 s; BLEU {:.2f} on dev, still rising; "
                                      "nothing went wrong.",
                                      good.corpus));
  const Verdict& first = page.verdicts.front();
  EXPECT_EQ(first.id, "how_good");
  EXPECT_EQ(first.finding, Grade::kGood);
  const Figure bleu = find_figure(first, "BLEU");
  EXPECT_EQ(bleu.value, good.corpus);
  EXPECT_LT(*bleu.low, good.corpus);
  EXPECT_GT(*bleu.high, good.corpus);
  EXPECT_LT(find_figure(first, "BLEU of copying the source").value, 5);
  EXPECT_THAT(first.rule, AllOf(HasSubstr("tok:13a"), HasSubstr("nc:6"), HasSubstr("bs:1000")));
}

TEST(RunSummary, AScoreThatIsLevelAndOneThatFalls) {
  JudgedRun level({20, 35, 40.1, 40.0, 40.2, 40.0, 40.1, 40.05});
  level.train_to_the_end();
  EXPECT_THAT(level.page().summary,
              AllOf(HasSubstr("BLEU 40.20 on dev at best, step 500"), HasSubstr("no longer rising")));
  JudgedRun unclear({10, 20, 19, 30});
  unclear.train_to_the_end();
  EXPECT_THAT(unclear.page().summary, HasSubstr("whether still rising is unclear"));
  JudgedRun falling({20, 35, 40, 45, 42, 40, 38, 36});
  falling.train_to_the_end();
  EXPECT_THAT(falling.page().summary, AllOf(HasSubstr("BLEU 45.00"), HasSubstr("falling again")));
}

// The samples are typical, not the best: as many sentences are better as worse.
TEST(HowGood, ShowsTheSentencesInTheMiddle) {
  JudgedRun run(kKept);
  run.train_to_the_end();
  const Verdict verdict = run.page().verdicts.front();
  ASSERT_EQ(verdict.samples.size(), 3U);
  for (const SampleSentence& sample : verdict.samples) {
    EXPECT_THAT(sample.translation, testing::AnyOf(made_translation(4), made_translation(5)));
    EXPECT_EQ(sample.reference, kReference);
    EXPECT_GT(sample.bleu, 0);
    EXPECT_LT(sample.bleu, 100);
  }
}

// Sentences that do not have the logged score are of something else.
TEST(HowGood, SentencesThatDisagreeWithTheLogAreNotUsed) {
  JudgedRun run(kRising);
  run.train_to_the_end();
  const Verdict verdict = run.page().verdicts.front();
  EXPECT_TRUE(verdict.samples.empty());
  EXPECT_EQ(find_figure(verdict, "BLEU").value, 45);
  EXPECT_FALSE(find_figure(verdict, "BLEU").low);
}

TEST(HowGood, BetweenTheLimitsItGivesTheGist) {
  JudgedRun run({5, 8, 11, 13, 15, 17, 18, 19});
  run.train_to_the_end();
  const Verdict verdict = run.page().verdicts.front();
  EXPECT_EQ(verdict.finding, Grade::kNeutral);
  EXPECT_THAT(verdict.would_change, HasSubstr("19.00"));
}

TEST(HowGood, BleuOfZeroIsNotUsableAndNothingIsPraisedBeforeThat) {
  JudgedRun zero(std::vector<double>(8, 0.0), 0);
  zero.train_to_the_end();
  // A loss that no longer falls: "fully trained", if that were all.
  std::vector<double>& loss = zero.made.data().evaluations.columns["dev_cross_entropy"];
  for (size_t i = 0; i < loss.size(); ++i) loss[i] = 6.0 + 1e-3 * std::pow(double(i + 1), -1.0);
  zero.made.data().config->schedule.warmup_steps = 1;
  const Page page = zero.page();
  EXPECT_EQ(page.verdicts.front().id, "how_good");
  EXPECT_EQ(page.verdicts.front().finding, Grade::kBad);
  EXPECT_THAT(page.summary, AllOf(HasSubstr("not usable: BLEU 0.00"), Not(HasSubstr("nothing went wrong"))));
  const Verdict trained = find_verdict(page.verdicts, "fully_trained");
  EXPECT_THAT(trained.sentence, AllOf(StartsWith("Yes"), HasSubstr("not usable")));
  EXPECT_EQ(trained.finding, Grade::kNeutral);
}

// A model that is no better than its source is not usable, however high the score.
TEST(HowGood, CopyingIsTheBar) {
  JudgedRun copies(kKept, 3, "der alte Baum steht am Fluss ja");
  copies.train_to_the_end();
  const Verdict verdict = copies.page().verdicts.front();
  EXPECT_GT(find_figure(verdict, "BLEU of copying the source").value, 50);
  EXPECT_EQ(verdict.finding, Grade::kBad);
}

TEST(HowGood, WordsThatNothingSeparatesAreNotJudgedByWords) {
  std::string dev;
  for (int i = 0; i < kSentences; ++i) {
    dev += dump_json(Json{{"source", "the old tree"}, {"reference", std::string(60, 'x')}}) + "\n";
  }
  for (const auto& [tokenizer, finding] : {std::pair("13a", Grade::kCannotTell), {"char", Grade::kGood}}) {
    JudgedRun run(kKept);
    write_file(run.made.data().folder / "evaluations" / "dev.jsonl", dev);
    run.made.data().config->evaluate.tokenize = tokenizer;
    run.train_to_the_end();
    EXPECT_EQ(find_verdict(run.page().verdicts, "how_good").finding, finding) << tokenizer;
  }
}

TEST(RunSummary, ADivergedRunSaysSoFirst) {
  JudgedRun run({20, 25, 30, 33, 0, 0, 0, 0});
  run.train_to_the_end();
  std::vector<double>& loss = run.made.data().training.columns["train_cross_entropy"];
  for (size_t i = 45; i < loss.size(); ++i) {
    loss[i] = kNotKnown;
    run.made.data().training.not_finite["train_cross_entropy"].push_back(i);
  }
  const Page page = run.page();
  EXPECT_EQ(page.state, "diverged");
  EXPECT_EQ(page.condition, Grade::kBad);
  EXPECT_THAT(
      page.summary,
      StartsWith("Diverged at step 460: the training loss is not a number; BLEU 33.00 on dev at best, step 400"));
  EXPECT_THAT(page.summary, Not(HasSubstr("nothing went wrong")));
  EXPECT_EQ(page.verdicts[0].id, "diverged");
  EXPECT_EQ(page.verdicts[1].id, "how_good");
  EXPECT_THAT(page.verdicts[1].sentence, HasSubstr("before it diverged"));
}

TEST(RunSummary, AnImportedRunClaimsNothingThatItsLogDoesNotSay) {
  RunData run;
  run.imported = true;
  run.name = "imported";
  run.record = {{"imported", {{"kind", "openseq2seq"}}}};
  for (int64_t step = 100; step <= 800; step += 100) {
    MadeRun::row(run.evaluations, step, {{"dev_bleu", 10 + 0.02 * double(step)}, {"dev_loss", 3}});
    MadeRun::row(run.training, step, {{"train_loss", 3}});
  }
  const Page page = run_page(run, "verbund");
  EXPECT_EQ(page.state, "imported");
  EXPECT_EQ(page.summary, "Imported from openseq2seq, 800 steps; BLEU 26.00 on dev, still rising.");
  const Verdict& verdict = page.verdicts.front();
  EXPECT_THAT(verdict.sentence, HasSubstr("not on record"));
  EXPECT_FALSE(find_figure(verdict, "BLEU").low);
  EXPECT_TRUE(verdict.samples.empty());
  run.evaluations.columns["dev_teacher_forced_piece_bleu"] = run.evaluations.columns["dev_bleu"];
  run.evaluations.columns.erase("dev_bleu");
  EXPECT_EQ(find_verdict(run_page(run, "verbund").verdicts, "how_good").finding, Grade::kCannotTell);
}

TEST(RunSummary, ARunThatWasKilledAndResumed) {
  JudgedRun run(kRising);
  run.made.start(0);
  run.made.steps(1, 450, {0, 1, 0, 0});
  run.made.end("killed, or the machine went down", true);
  run.made.pass(30);
  run.made.start(0, 400);
  run.made.steps(401, 800, {0, 1, 0, 0});
  run.made.end("finished at step 800");
  const Page page = run.page();
  EXPECT_THAT(page.summary, AllOf(StartsWith("Trained to the end, 800 steps in 14 min 40 s; BLEU 45.00"),
                                  HasSubstr("it died once and was resumed from step 400, 50 steps computed again"),
                                  Not(HasSubstr("nothing went wrong"))));
  for (const Chart& chart : page.strip) {
    ASSERT_FALSE(chart.marks.empty()) << chart.id;
    EXPECT_EQ(chart.marks[0].x, 400);
    EXPECT_EQ(chart.marks[0].text, "resumed");
  }
}

TEST(RunSummary, StatesThatAreNoEnd) {
  const auto summary_of = [](const std::string& reason, bool killed, double silent_for) {
    JudgedRun run(kRising);
    run.made.start(0);
    run.made.steps(1, 300, {0, 1, 0, 0});
    run.made.end(reason, killed);
    run.made.data().read_at = run.made.now() + silent_for;
    const Page page = run.page();
    return page.state + "|" + page.summary;
  };
  EXPECT_THAT(summary_of("", false, 5), StartsWith("running|Still training, at step 800 in 5 min 00 s; BLEU 45.00"));
  EXPECT_THAT(summary_of("", false, 7200), AllOf(StartsWith("lost|Lost at step 800: no sign of life since 1970-01-12"),
                                                 Not(HasSubstr("nothing went wrong"))));
  EXPECT_THAT(summary_of("killed, or the machine went down", true, 5),
              StartsWith("killed|Killed at step 800, and not"));
  EXPECT_THAT(summary_of("stopped by SIGINT", false, 5), StartsWith("stopped|Stopped by SIGINT at step 800 in "));
  EXPECT_THAT(summary_of("ended at step 300: no memory", false, 5), StartsWith("failed|Failed at step 800;"));
}

TEST(RunSummary, NothingWasEvaluated) {
  MadeRun made;
  made.data().config->train.max_steps = 900;
  made.start(1);
  made.steps(1, 300, {0, 1, 0, 0});
  made.end("stopped by SIGTERM");
  const Page page = run_page(made.take(), "verbund");
  EXPECT_THAT(page.summary, StartsWith("Stopped by SIGTERM at step 300 of 900 in 5 min 01 s; never evaluated"));
  EXPECT_EQ(page.verdicts.front().id, "how_good");
  EXPECT_EQ(page.verdicts.front().finding, Grade::kCannotTell);
  EXPECT_NE(shown_verdicts(page).front().id, "how_good") << "what cannot be told comes last";
}

TEST(StripCharts, FourWithTheBestMarked) {
  JudgedRun run(kRising);
  run.train_to_the_end();
  std::vector<std::string> ids;
  const std::vector<Chart> strip = strip_charts(run.made.take());
  for (const Chart& chart : strip) ids.push_back(chart.id);
  EXPECT_THAT(ids, ElementsAre("loss", "scores", "rate", "speed"));
  EXPECT_EQ(strip[0].series.size(), 2U);
  EXPECT_EQ(strip[1].series[0].y, kRising);
  ASSERT_EQ(strip[1].marks.size(), 1U);
  EXPECT_EQ(strip[1].marks[0].x, 800);
  EXPECT_TRUE(strip_charts(RunData()).empty());
}

}  // namespace
}  // namespace verbund
