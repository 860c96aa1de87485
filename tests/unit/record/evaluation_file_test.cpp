// SPDX-License-Identifier: Apache-2.0
#include "record/evaluation_file.h"

#include <gmock/gmock.h>

#include <cmath>

#include "core/file.h"
#include "core/log.h"
#include "record/metrics_writer.h"
#include "support/failure_walk.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TestSet three_pairs() {
  TestSet set;
  set.sources = {"a dog", "<script>", "\xff not UTF-8"};
  set.references = {"ein Hund", "\"Skript\"\n", ""};
  set.source_tokens = set.reference_tokens = {{4, 5}, {6}, {}};
  return set;
}

// Of the first two; the third was scored only.
Evaluation two_translations() {
  Evaluation evaluation;
  evaluation.sentences = {{1.5, 3}, {0.1, 2}, {std::nan(""), 1}};
  evaluation.translations = {"ein Hund", "</script>\xff"};
  evaluation.bleu_statistics = bleu_statistics(evaluation.translations, {{"ein Hund", "Skript"}});
  evaluation.chrf_statistics = chrf_statistics(evaluation.translations, {{"ein Hund", "Skript"}});
  return evaluation;
}

void evaluate_at(EvaluationKeeper& keeper, int64_t step, const Evaluation& evaluation) {
  const TestSet set = three_pairs();
  keeper.evaluation({step, 1.0, evaluation, set});
}

TEST(EvaluationFile, IsReadAsItWasWritten) {
  TemporaryFolder folder;
  const Evaluation evaluation = two_translations();
  const KeptEvaluation kept = read_evaluation(folder.write("e.jsonl", evaluation_text(evaluation)));
  ASSERT_THAT(kept.sentences, SizeIs(3));
  EXPECT_EQ(kept.damaged, 0u);
  EXPECT_EQ(kept.sentences[0].translation, "ein Hund");
  EXPECT_EQ(kept.sentences[1].translation, "</script>\uFFFD");
  EXPECT_EQ(kept.sentences[2].translation, std::nullopt);
  EXPECT_EQ(kept.sentences[1].cross_entropy, 0.1);
  EXPECT_EQ(kept.sentences[1].tokens, 2);
  EXPECT_TRUE(std::isnan(kept.sentences[2].cross_entropy));
  EXPECT_EQ(columns_of(*kept.sentences[0].bleu), columns_of(evaluation.bleu_statistics[0]));
  EXPECT_EQ(columns_of(*kept.sentences[1].chrf), columns_of(evaluation.chrf_statistics[1]));
}

TEST(EvaluationFile, ExtraDevSetsHaveFoldersOfTheirOwn) {
  TemporaryFolder folder;
  const Evaluation main = two_translations(), other = two_translations();
  const TestSet set = three_pairs();
  const std::string name = "law";
  const auto seen = [&](int64_t step) {
    EvaluationSeen all = {step, 1.0, main, set};
    all.extra.push_back({name, other, set});
    return all;
  };
  EvaluationKeeper keeper(folder.path());
  for (const int64_t step : {0, 10, 20}) keeper.evaluation(seen(step));
  for (const int64_t step : {0, 10, 20}) {
    EXPECT_EQ(read_file(evaluation_file(folder.path(), step, "law")), evaluation_text(other));
    EXPECT_EQ(read_file(evaluation_file(folder.path(), step)), evaluation_text(main));
  }
  EXPECT_EQ(read_file(dev_file(folder.path(), "law")), dev_text(set));
  EvaluationKeeper again(folder.path());
  again.begin(10);
  EXPECT_TRUE(fs::exists(evaluation_file(folder.path(), 10, "law")));
  EXPECT_FALSE(fs::exists(evaluation_file(folder.path(), 20, "law")));
  EXPECT_FALSE(fs::exists(evaluation_file(folder.path(), 20)));

  const Json line = metrics_line(seen(10));
  EXPECT_EQ(line.at("dev-law_bleu"), other.bleu.score);
  EXPECT_EQ(line.at("dev-law_cross_entropy").dump(), Json(other.cross_entropy()).dump());
  EXPECT_FALSE(metrics_line({10, 1.0, main, set}).contains("dev-law_bleu"));
}

TEST(EvaluationFile, HasALineAsTheFormatSays) {
  Evaluation evaluation = two_translations();
  EXPECT_THAT(evaluation_text(evaluation),
              HasSubstr("{\"translation\":\"ein Hund\",\"cross_entropy\":1.5,\"tokens\":3,"
                        "\"bleu\":[2,2,2,1,0,0,2,1,0,0],\"chrf\":[7,7,7,6,6,6,5,5,5,4,4,4,3,3,3,2,2,2]}\n"));
  evaluation.translations.clear();
  EXPECT_EQ(evaluation_text(evaluation),
            "{\"cross_entropy\":1.5,\"tokens\":3}\n{\"cross_entropy\":0.1,\"tokens\":2}\n"
            "{\"cross_entropy\":\"NaN\",\"tokens\":1}\n");
}

TEST(EvaluationFile, OfDamagedLinesTheOthersKeepTheirPlace) {
  TemporaryFolder folder;
  const KeptEvaluation kept = read_evaluation(
      folder.write("e.jsonl",
                   "{\"cross_entropy\":1,\"tokens\":3}\nnot JSON\n[]\n{\"tokens\":1}\n\n"
                   "{\"cross_entropy\":2,\"tokens\":3,\"translation\":\"x\",\"bleu\":[1,2],\"chrf\":[]}\n"
                   "{\"cross_entropy\":\"Infinity\",\"tokens\":4}\n{\"cross_entropy\":9,\"tok"));
  EXPECT_EQ(kept.damaged, 6u);
  ASSERT_THAT(kept.sentences, SizeIs(8));
  EXPECT_EQ(kept.sentences[0].cross_entropy, 1);
  EXPECT_EQ(kept.sentences[6].tokens, 4);
  EXPECT_EQ(kept.sentences[6].cross_entropy, std::numeric_limits<double>::infinity());
  for (const size_t damaged : {1, 2, 3, 4, 5, 7}) {
    EXPECT_TRUE(std::isnan(kept.sentences[damaged].cross_entropy)) << damaged;
    EXPECT_FALSE(kept.sentences[damaged].translation) << damaged;
  }
}

TEST(EvaluationFile, NamesItsStep) {
  EXPECT_EQ(evaluation_file("run", 1000), "run/evaluations/step-00001000.jsonl");
  EXPECT_EQ(evaluation_step("x/step-00001000.jsonl"), 1000);
  EXPECT_EQ(evaluation_step("step-1234567890.jsonl"), 1234567890);
  for (const char* other : {"dev.jsonl", "step-.jsonl", "step-1x.jsonl", "step-1.jsonl.partial", "step-00001000"}) {
    EXPECT_EQ(evaluation_step(other), std::nullopt) << other;
  }
}

TEST(EvaluationKeeper, KeepsEachEvaluationAndTheTextOnce) {
  TemporaryFolder folder;
  EvaluationKeeper keeper(folder.path());
  keeper.begin(0);
  evaluate_at(keeper, 10, two_translations());
  evaluate_at(keeper, 20, two_translations());
  EXPECT_EQ(slurp(evaluation_file(folder.path(), 20)), evaluation_text(two_translations()));
  const std::vector<KeptPair> dev = read_dev(dev_file(folder.path()));
  ASSERT_THAT(dev, SizeIs(3));
  EXPECT_EQ(dev[0].source, "a dog");
  EXPECT_EQ(dev[1].reference, "\"Skript\"\n");
  EXPECT_EQ(dev[2].source, "\uFFFD not UTF-8");
}

TEST(EvaluationKeeper, ForgetsWhatIsUndone) {
  TemporaryFolder folder;
  EvaluationKeeper keeper(folder.path());
  keeper.begin(0);
  for (const int64_t step : {0, 10, 20, 30}) evaluate_at(keeper, step, two_translations());
  folder.write("evaluations/step-00000040.jsonl.partial", "half");
  folder.write("evaluations/notes.txt", "mine");
  keeper.begin(15);
  std::vector<std::string> names;
  for (const fs::path& file : list_folder(evaluations_folder(folder.path()))) names.push_back(file.filename());
  EXPECT_THAT(names,
              testing::UnorderedElementsAre("dev.jsonl", "notes.txt", "step-00000000.jsonl", "step-00000010.jsonl"));
}

TEST(EvaluationKeeper, TakesOtherDevPairsOfALaterStart) {
  TemporaryFolder folder;
  fs::create_directory(folder / "evaluations");
  folder.write("evaluations/dev.jsonl", "{\"source\":\"old\",\"reference\":\"alt\"}\n");
  EvaluationKeeper keeper(folder.path());
  evaluate_at(keeper, 10, two_translations());
  EXPECT_THAT(read_dev(dev_file(folder.path())), SizeIs(3));
}

TEST(EvaluationKeeper, WhatCannotBeKeptIsNoReasonToStop) {
  TemporaryFolder folder;
  folder.write("evaluations", "a file where the folder should be");
  EvaluationKeeper keeper(folder.path());
  set_log_level(LogLevel::kWarning);
  EXPECT_NO_THROW(keeper.begin(0));
  EXPECT_NO_THROW(evaluate_at(keeper, 10, two_translations()));
  set_log_level(LogLevel::kInfo);
}

TEST(EvaluationKeeper, FilesAreWholeOrAbsentWhateverFails) {
  walk_failures({.prepare =
                     [](const fs::path& folder) {
                       EvaluationKeeper keeper(folder);
                       evaluate_at(keeper, 10, two_translations());
                       evaluate_at(keeper, 20, two_translations());
                     },
                 .work =
                     [](const fs::path& folder) {
                       EvaluationKeeper keeper(folder);
                       keeper.begin(10);
                       Evaluation other = two_translations();
                       other.sentences[0].tokens = 7;
                       evaluate_at(keeper, 30, other);
                     },
                 .check =
                     [](const fs::path& folder, Failure) {
                       for (const int64_t step : {10, 20, 30}) {
                         if (!fs::exists(evaluation_file(folder, step))) continue;
                         const KeptEvaluation kept = read_evaluation(evaluation_file(folder, step));
                         EXPECT_THAT(kept.sentences, SizeIs(3));
                         EXPECT_EQ(kept.damaged, 0u);
                       }
                       EXPECT_TRUE(fs::exists(evaluation_file(folder, 10)));
                       EXPECT_THAT(read_dev(dev_file(folder)), SizeIs(3));
                     }},
                20);
}

TEST(MetricsLine, HasTheProbeIfThereIsOne) {
  Evaluation evaluation = two_translations();
  evaluation.loss.tokens = 6;
  const TestSet set = three_pairs();
  EXPECT_FALSE(metrics_line({10, 1.0, evaluation, set}).contains("probe_loss"));
  evaluation.probe = Loss{.smoothed = 12, .cross_entropy = 8, .tokens = 4};
  const auto line = metrics_line({10, 1.0, evaluation, set});
  EXPECT_EQ(line.at("probe_loss"), 3);
  EXPECT_EQ(line.at("probe_cross_entropy"), 2);
}

TEST(EvaluationFile, LossesOfSentencesWithoutTheirTranslations) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "step-00000100.jsonl";
  write_file(path,
             "{\"translation\":\"a \\\"cross_entropy\\\": 7 \",\"cross_entropy\":12.5,\"tokens\":4,\"bleu\":[1,2]}\n"
             "{\"translation\":\"b\",\"cross_entropy\":2,\"tokens\":3}\n{\"translation\":\"c\",\"cross_ent");
  const SentenceLosses losses = read_sentence_losses(100, path);
  EXPECT_EQ(losses.cross_entropy, (std::vector<double>{12.5, 2}));
  EXPECT_EQ(losses.tokens, (std::vector<double>{4, 3}));
}

}  // namespace
}  // namespace verbund
