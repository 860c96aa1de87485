// SPDX-License-Identifier: Apache-2.0
#include "evaluate/extra_dev_sets.h"

#include <gmock/gmock.h>

namespace verbund {
namespace {

using ::testing::ElementsAre;

constexpr size_t kPairs = 6;

TestSet six_pairs() {
  TestSet set;
  for (size_t i = 0; i < kPairs; ++i) {
    set.sources.push_back(fmt::format("source {}", i));
    set.references.push_back(fmt::format("the reference of sentence {} , in words", i));
    set.source_tokens.push_back({static_cast<TokenId>(i + 4)});
    set.reference_tokens.push_back({static_cast<TokenId>(i + 4), 9});
  }
  return set;
}

TestSet part(const TestSet& whole, size_t first, size_t count) {
  const auto cut = [&](const auto& all) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
    return std::decay_t<decltype(all)>(begin, begin + static_cast<std::ptrdiff_t>(count));
  };
  return {cut(whole.sources), cut(whole.references), cut(whole.source_tokens), cut(whole.reference_tokens)};
}

// As if its translations were these.
Evaluation evaluation_of(const TestSet& set, size_t translated = kPairs) {
  Evaluation evaluation;
  for (size_t i = 0; i < set.size(); ++i) {
    evaluation.sentences.push_back({0.5 + static_cast<double>(set.source_tokens[i][0]), 3});
    evaluation.loss.cross_entropy += evaluation.sentences.back().cross_entropy;
    evaluation.loss.tokens += 3;
    if (i >= translated) continue;
    const bool exact = set.source_tokens[i][0] % 3 == 0;
    evaluation.translations.push_back(exact ? set.references[i] : "the reference of sentence five , in numbers");
  }
  const Segments references = part(set, 0, evaluation.translations.size()).references;
  if (references.empty()) return evaluation;
  evaluation.bleu_statistics = bleu_statistics(evaluation.translations, {references});
  evaluation.chrf_statistics = chrf_statistics(evaluation.translations, {references});
  score(evaluation, references, {});
  return evaluation;
}

TEST(PartsOfASplit, AreThoseOfDevAndTestAlone) {
  DatasetManifest dataset;
  dataset.splits = {{"train-a", 9}, {"train-a-b", 9}, {"dev", 5},   {"dev-a", 2},
                    {"dev-a-b", 3}, {"test", 1},      {"test-b", 1}};
  EXPECT_THAT(names_of_parts(dataset, "dev"), ElementsAre("dev-a", "dev-a-b"));
  EXPECT_THAT(names_of_parts(dataset, "test"), ElementsAre("test-b"));
  EXPECT_THAT(names_of_parts(dataset, "dev-a"), ::testing::IsEmpty());
  EXPECT_THAT(names_of_parts(dataset, "train-a"), ::testing::IsEmpty());
}

TEST(ExtraDevSets, APartOfTheMainSetIsNotEvaluatedAgain) {
  const TestSet main = six_pairs();
  const std::vector<ExtraDevSet> sets = {{"first", part(main, 0, 2), {0, 1}}, {"rest", part(main, 2, 4), {2, 3, 4, 5}}};
  const std::vector<Evaluation> results = evaluate_extra(sets, evaluation_of(main), {}, [](const TestSet&) {
    ADD_FAILURE() << "it was evaluated with the main set";
    return Evaluation();
  });
  ASSERT_EQ(results.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    const Evaluation alone = evaluation_of(sets[i].set);
    EXPECT_EQ(results[i].translations, alone.translations);
    EXPECT_EQ(results[i].bleu.score, alone.bleu.score);
    EXPECT_EQ(results[i].bleu.signature, alone.bleu.signature);
    EXPECT_EQ(results[i].chrf.score, alone.chrf.score);
    EXPECT_EQ(results[i].exact, alone.exact);
    EXPECT_EQ(results[i].cross_entropy(), alone.cross_entropy());
    EXPECT_EQ(results[i].loss.tokens, alone.loss.tokens);
  }
  EXPECT_NE(results[0].bleu.score, results[1].bleu.score);
}

TEST(ExtraDevSets, OtherPairsAndThoseThatWereNotTranslatedAre) {
  const TestSet main = six_pairs();
  const std::vector<ExtraDevSet> sets = {
      {"first", part(main, 0, 2), {0, 1}}, {"rest", part(main, 2, 4), {2, 3, 4, 5}}, {"other", part(main, 1, 1), {}}};
  std::vector<size_t> evaluated;
  const auto evaluate_set = [&](const TestSet& set) {
    evaluated.push_back(set.size());
    return Evaluation();
  };
  evaluate_extra(sets, evaluation_of(main, 3), {}, evaluate_set);
  EXPECT_THAT(evaluated, ElementsAre(4, 1));
  evaluated.clear();
  const std::vector<Evaluation> losses = evaluate_extra(sets, evaluation_of(main, 0), {}, evaluate_set);
  EXPECT_THAT(evaluated, ElementsAre(1));  // there are losses alone, as of an untrained model
  EXPECT_TRUE(losses[0].translations.empty());
  EXPECT_EQ(losses[1].loss.tokens, 12);
}

TEST(ExtraDevSets, APartMayLieAnywhereInTheMainSet) {
  const TestSet main = six_pairs();
  TestSet odd;
  for (const size_t i : {5, 1, 3}) {
    const TestSet pair = part(main, i, 1);
    odd.sources.push_back(pair.sources[0]);
    odd.references.push_back(pair.references[0]);
    odd.source_tokens.push_back(pair.source_tokens[0]);
    odd.reference_tokens.push_back(pair.reference_tokens[0]);
  }
  const std::vector<ExtraDevSet> sets = {{"odd", odd, {5, 1, 3}}};
  size_t evaluated = 0;
  const auto evaluate_set = [&](const TestSet&) {
    ++evaluated;
    return Evaluation();
  };
  const Evaluation alone = evaluation_of(odd);
  const Evaluation own = evaluate_extra(sets, evaluation_of(main), {}, evaluate_set)[0];
  EXPECT_EQ(own.translations, alone.translations);
  EXPECT_EQ(own.bleu.score, alone.bleu.score);
  EXPECT_EQ(own.cross_entropy(), alone.cross_entropy());
  EXPECT_EQ(evaluated, 0u);
  evaluate_extra(sets, evaluation_of(main, 5), {}, evaluate_set);
  EXPECT_EQ(evaluated, 1u) << "pair 5 was not translated";
}

TEST(ExtraDevSets, AreNamedAfterTheirFolder) {
  EXPECT_EQ(dev_set_name({"law", "data/x"}), "law");
  EXPECT_EQ(dev_set_name({"", "data/general"}), "general");
  EXPECT_EQ(dev_set_name({"", "data/general/"}), "general");
}

}  // namespace
}  // namespace verbund
