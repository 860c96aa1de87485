// SPDX-License-Identifier: Apache-2.0
// What else a search can be asked for: beginnings, samples, several models, lengths, alignments.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "core/error.h"
#include "support/expect_error.h"
#include "support/made_model.h"

namespace verbund {
namespace {

using ::testing::HasSubstr;

std::vector<Sentence> best_tokens(const std::vector<std::vector<Hypothesis>>& results) {
  std::vector<Sentence> tokens;
  for (const auto& hypotheses : results) tokens.push_back(hypotheses.at(0).tokens);
  return tokens;
}

TEST(SearchOptions, TheForcedPrefixIsThereAndCounts) {
  const MadeModel made = made_model(1);
  Random random(1, 2);
  std::vector<SearchTask> tasks = random_tasks(random, 20, made);
  for (SearchTask& task : tasks) task.prefix = random_sentence(random, 12, made.sizes.target);
  SearchRequest request;
  request.nbest = 3;
  request.config.length_penalty = 0;
  request.config.max_ratio = 1;
  request.config.max_extra = 0;  // so that some prefixes are longer than their translation could be
  const auto results = search(made, tasks, request);
  for (size_t i = 0; i < tasks.size(); ++i) {
    for (const Hypothesis& hypothesis : results[i]) {
      ASSERT_GE(hypothesis.tokens.size(), tasks[i].prefix.size());
      EXPECT_TRUE(std::equal(tasks[i].prefix.begin(), tasks[i].prefix.end(), hypothesis.tokens.begin()));
      Batch batch;
      append(batch, tasks[i].source, hypothesis.tokens, 0);
      std::vector<double> each = made.model->token_log_probabilities(batch);
      if (!hypothesis.finished) each.pop_back();                          // that of </s>
      const double sum = std::accumulate(each.begin(), each.end(), 0.0);  // over the given tokens too
      EXPECT_NEAR(hypothesis.log_probability, sum, 1e-4);
      EXPECT_NEAR(hypothesis.score, sum, 1e-4);
    }
  }
}

SearchRequest sampling(int64_t top, double temperature, uint64_t seed) {
  SearchRequest request;
  request.config.beam = 1;
  request.config.sample_top = top;
  request.config.temperature = temperature;
  request.config.max_extra = 5;
  request.seed = seed;
  return request;
}

TEST(SearchOptions, SamplesAreAFunctionOfTheSeed) {
  const MadeModel made = made_model(2);
  Random random(2, 2);
  const std::vector<SearchTask> tasks = random_tasks(random, 30, made);
  const auto sample = [&](int64_t top, uint64_t seed) {
    return best_tokens(search(made, tasks, sampling(top, 1, seed)));
  };
  EXPECT_EQ(sample(8, 1), sample(8, 1));
  EXPECT_NE(sample(8, 1), sample(8, 2));
  EXPECT_EQ(sample(1, 1), sample(0, 1)) << "the best of one is what greedy search takes";
  EXPECT_NE(sample(8, 1), sample(0, 1));
}

std::vector<double> first_log_probabilities(const MadeModel& made, const Sentence& source) {
  std::vector<double> result;
  for (TokenId token = 0; token < made.sizes.target; ++token) {
    Batch batch;
    append(batch, source, {token}, 0);
    result.push_back(made.model->token_log_probabilities(batch)[0]);
  }
  return result;
}

// The first token of many samples of one sentence, against the probabilities they are drawn with.
TEST(SearchOptions, SamplesAreDrawnWithTheirProbabilities) {
  const MadeModel made = made_model(3);
  constexpr size_t kSamples = 4000, kTop = 6;
  const Sentence source = {5, 4, 6};
  std::vector<SearchTask> tasks;
  for (size_t i = 0; i < kSamples; ++i) tasks.push_back({source, {}, i});
  const std::vector<double> log_probabilities = first_log_probabilities(made, source);
  std::vector<size_t> order(log_probabilities.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return log_probabilities[a] > log_probabilities[b]; });
  order.resize(kTop);

  for (const double temperature : {0.5, 1.0, 3.0}) {
    SearchRequest request = sampling(kTop, temperature, 7);
    request.config.max_ratio = 0;
    request.config.max_extra = 1;
    std::map<TokenId, double> counts;
    for (const auto& hypotheses : search(made, tasks, request)) {
      const Hypothesis& only = hypotheses.at(0);
      const TokenId token = only.tokens.empty() ? kEndOfSentence : only.tokens[0];
      EXPECT_NEAR(only.log_probability, log_probabilities[static_cast<size_t>(token)], 1e-4) << "the model's own";
      ++counts[token];
    }
    double partition = 0, seen = 0;
    for (const size_t token : order) partition += std::exp(log_probabilities[token] / temperature);
    for (const size_t token : order) {
      const double share = std::exp(log_probabilities[token] / temperature) / partition;
      const double count = counts[static_cast<TokenId>(token)];
      EXPECT_NEAR(count, kSamples * share, 4.5 * std::sqrt(kSamples * share)) << "temperature " << temperature;
      seen += count;
    }
    EXPECT_EQ(seen, kSamples) << "others were drawn too";
  }
}

TEST(SearchOptions, AModelAgreesWithItself) {
  const MadeModel made = made_model(4), twin = made_model(4);
  Random random(4, 2);
  const std::vector<SearchTask> tasks = random_tasks(random, 20, made);
  SearchRequest request;
  request.nbest = 4;
  request.config.max_extra = 4;
  DecodableModel* const both[] = {made.model.get(), twin.model.get()};
  const auto alone = search(made, tasks, request), together = search(both, made.sizes.target, tasks, request);
  for (size_t i = 0; i < tasks.size(); ++i) {
    ASSERT_EQ(together[i].size(), alone[i].size());
    for (size_t n = 0; n < alone[i].size(); ++n) {
      EXPECT_EQ(together[i][n].tokens, alone[i][n].tokens);
      EXPECT_NEAR(together[i][n].score, alone[i][n].score, 1e-5);
    }
  }
}

TEST(SearchOptions, EndlessTranslationsAreCutAtTheGreatestLength) {
  const MadeModel made = made_model(6, -50);
  Random random(6, 2);
  const std::vector<SearchTask> tasks = random_tasks(random, 20, made);
  for (const auto& [ratio, extra] : {std::pair{1.5, 3}, {0.0, 1}, {0.0, 0}, {0.7, 0}}) {
    SearchRequest request;
    request.config.max_ratio = ratio;
    request.config.max_extra = extra;
    const auto results = search(made, tasks, request);
    for (size_t i = 0; i < tasks.size(); ++i) {
      const auto greatest = static_cast<size_t>(ratio * static_cast<double>(tasks[i].source.size() + 1) + extra);
      ASSERT_EQ(results[i].size(), 1u);
      EXPECT_EQ(results[i][0].tokens.size(), std::max<size_t>(1, greatest));
      EXPECT_FALSE(results[i][0].finished);
    }
  }
}

// A model in which only the last token decides on the next one: embeddings of one high value each are all that
// reaches the output, whose weights are the logarithms of the probabilities.
MadeModel markov_model(const std::vector<std::vector<double>>& next_of) {
  ModelConfig config;
  config.d_model = static_cast<int64_t>(next_of.size());
  config.heads = config.encoder_layers = config.decoder_layers = 1;
  config.share_embeddings = Sharing::kNone;
  const VocabularySizes sizes = {config.d_model, config.d_model};
  MadeModel made = {config, sizes, make_fused_transformer(cpu(), config, sizes)};
  const size_t d = next_of.size();
  made.model->weights().write().zero();
  for (size_t last = 0; last < d; ++last) {
    made.parameter("target.embedding")[last * d + last] = 1e6f;
    for (size_t next = 0; next < d; ++next) {
      made.parameter("output.weight")[next * d + last] = static_cast<float>(std::log(next_of[last][next]));
    }
  }
  // The norm makes of such a row sqrt(d - 1) and -1 / sqrt(d - 1); this makes 1 and 0 of them.
  const float root = std::sqrt(static_cast<float>(d - 1)), scale = 1 / (root + 1 / root);
  for (float& value : made.parameter("decoder.norm.scale")) value = scale;
  for (float& value : made.parameter("decoder.norm.bias")) value = scale / root;
  return made;
}

// The empty translation is found at once and is the likeliest, but the long one has the better score.
TEST(SearchOptions, ALongTranslationMayStillWin) {
  constexpr double kNo = 1e-9;
  const MadeModel made = markov_model({{kNo, 1, kNo, kNo, kNo, kNo},
                                       {kNo, 1, kNo, kNo, kNo, kNo},
                                       {kNo, 0.55, kNo, 0.45, kNo, kNo},  // <s>: </s> or 3
                                       {kNo, kNo, kNo, kNo, 1, kNo},      // 3 4 3 4 ...
                                       {kNo, 0.1, kNo, 0.9, kNo, kNo},    // ... </s>
                                       {kNo, 1, kNo, kNo, kNo, kNo}});
  SearchRequest request;
  request.config.beam = 2;
  request.config.max_ratio = 0;
  request.config.max_extra = 20;
  const std::vector<SearchTask> tasks = {{{4}, {}, 0}};
  request.config.length_penalty = 0;
  const auto likeliest = search(made, tasks, request)[0][0];
  EXPECT_TRUE(likeliest.tokens.empty());
  EXPECT_NEAR(likeliest.score, std::log(0.55), 1e-5);
  request.config.length_penalty = 1.5;
  const auto best = search(made, tasks, request)[0][0];
  EXPECT_EQ(best.tokens.size(), 18u);
  EXPECT_NEAR(best.log_probability, std::log(0.45) + 8 * std::log(0.9) + std::log(0.1), 1e-4);
}

// What is cut has not paid for its end, and would look better than it is.
TEST(SearchOptions, WhatIsCutStandsBehindWhatHasEnded) {
  constexpr double kNo = 1e-9;
  const MadeModel made = markov_model({{kNo, 1, kNo, kNo, kNo, kNo},
                                       {kNo, 1, kNo, kNo, kNo, kNo},
                                       {kNo, 0.1, kNo, 0.9, kNo, kNo},  // <s>: </s> or 3, and then never an end
                                       {kNo, kNo, kNo, 1, kNo, kNo},
                                       {kNo, 1, kNo, kNo, kNo, kNo},
                                       {kNo, 1, kNo, kNo, kNo, kNo}});
  SearchRequest request;
  request.config.beam = 2;
  request.config.max_ratio = 0;
  request.config.max_extra = 5;
  const auto found = search(made, std::vector<SearchTask>{{{4}, {}, 0}}, request)[0];
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].finished);
  EXPECT_TRUE(found[0].tokens.empty());
  request.config.beam = 1;  // greedy: there is nothing but what is cut
  EXPECT_FALSE(search(made, std::vector<SearchTask>{{{4}, {}, 0}}, request)[0].at(0).finished);
}

// What a decoder that is led along the translation says of each of its tokens.
TEST(SearchOptions, EachTokenIsAlignedWhereItsStepAttends) {
  SearchRequest request;
  request.nbest = 4;
  request.align = true;
  request.config.max_extra = 5;
  std::set<std::vector<int32_t>> different;
  for (uint64_t seed = 70; seed < 80; ++seed) {
    const MadeModel made = made_model(seed);
    sharpen_attention(made);
    Random random(seed, 2);
    const std::vector<SearchTask> tasks = random_tasks(random, 5, made);
    const auto results = search(made, tasks, request);
    for (size_t i = 0; i < tasks.size(); ++i) {
      for (const Hypothesis& hypothesis : results[i]) {
        std::vector<int32_t> expected;
        made.model->start_decoding({tasks[i].source});
        TokenId last = kStartOfSentence;
        for (const TokenId token : hypothesis.tokens) {
          const NextRow row = {0, last};
          made.model->step({&row, 1}, &expected.emplace_back());
          last = token;
        }
        EXPECT_EQ(hypothesis.alignment, expected);
        for (const int32_t position : expected) EXPECT_LE(static_cast<size_t>(position), tasks[i].source.size());
        different.insert(expected);
      }
    }
  }
  EXPECT_GT(different.size(), 50u);
}

// All but one token have probability 0: they are not candidates.
TEST(SearchOptions, ImpossibleTokensAreNotTaken) {
  ModelConfig config;
  config.d_model = config.d_ff = 16;
  config.encoder_layers = config.decoder_layers = 1;
  config.share_embeddings = Sharing::kNone;
  const MadeModel sure = made_model(config, {9, 9}, 8), twin = made_model(config, {9, 9}, 8);
  for (const MadeModel* made : {&sure, &twin}) {
    Random random(8, 0);
    favour_end(*made, 1e6, random);
  }
  DecodableModel* const both[] = {sure.model.get(), twin.model.get()};
  const SearchTask task = {{4, 5}, {}, 0};
  SearchRequest request;
  request.nbest = 4;
  const auto results = search(both, 9, {&task, 1}, request);
  ASSERT_EQ(results[0].size(), 1u);
  EXPECT_TRUE(results[0][0].tokens.empty());
  EXPECT_TRUE(results[0][0].finished);
}

TEST(SearchOptions, DamagedWeightsAreNamed) {
  const MadeModel made = made_model(9);
  made.model->weights().write().host()[made.model->weights().size() / 2] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_ERROR(search(made, {{{4, 5}, {}, 0}}, SearchRequest()), Error, HasSubstr("nan"));
}

}  // namespace
}  // namespace verbund
