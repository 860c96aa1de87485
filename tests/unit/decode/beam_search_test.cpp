// SPDX-License-Identifier: Apache-2.0
// The search with caches against the model without, and a batch against its sentences.
#include "decode/beam_search.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/buffers.h"
#include "support/made_model.h"

namespace verbund {
namespace {

// The whole beginning is computed again for each token, by the path that training uses.
Sentence greedy_without_cache(const MadeModel& made, const Sentence& source, size_t greatest) {
  Sentence tokens;
  while (tokens.size() < greatest) {
    Batch batch;
    append(batch, source, tokens, 0);
    const TokenId best = made.model->predict(batch).back();
    if (best == kEndOfSentence) break;
    tokens.push_back(best);
  }
  return tokens;
}

TEST(BeamSearch, GreedyEqualsGreedyWithoutCache) {
  SearchRequest request;
  request.config.beam = 1;
  request.config.max_ratio = 2;
  request.config.max_extra = 70;  // over more positions than are computed at a time
  size_t long_ones = 0, compared = 0;
  for (uint64_t seed = 100; seed < 110; ++seed) {
    SCOPED_TRACE(seed);
    const MadeModel made = made_model(seed);
    Random random(seed, 2);
    const std::vector<SearchTask> tasks = random_tasks(random, 6, made);
    const auto results = search(made, tasks, request);
    for (size_t i = 0; i < tasks.size(); ++i) {
      ASSERT_EQ(results[i].size(), 1u);
      // The search never emits <pad> and <s>, which an untrained model may find likely: from there on both differ.
      Sentence expected = greedy_without_cache(made, tasks[i].source, 2 * (tasks[i].source.size() + 1) + 70);
      const auto special =
          std::ranges::find_if(expected, [](TokenId token) { return token == 0 || token == kStartOfSentence; });
      const bool is_whole = special == expected.end();
      expected.erase(special, expected.end());
      Sentence tokens = results[i][0].tokens;
      if (!is_whole) tokens.resize(std::min(tokens.size(), expected.size()));
      EXPECT_EQ(tokens, expected);
      compared += expected.size();
      long_ones += results[i][0].tokens.size() > 64 ? 1 : 0;
    }
  }
  EXPECT_GT(long_ones, 0u);
  EXPECT_GT(compared, 1000u);
}

bool identical(const std::vector<Hypothesis>& a, const std::vector<Hypothesis>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Hypothesis& x, const Hypothesis& y) {
    return x.tokens == y.tokens && x.log_probability == y.log_probability && x.score == y.score &&
           x.finished == y.finished && x.alignment == y.alignment;
  });
}

// Neither the company nor the place in it changes a bit, though sentences end one after the other.
TEST(BeamSearch, SentencesDoNotInfluenceEachOther) {
  for (uint64_t seed = 200; seed < 210; ++seed) {
    SCOPED_TRACE(seed);
    const MadeModel made = made_model(seed);
    Random random(seed, 2);
    SearchRequest request = random_request(random);
    request.align = true;
    request.config.sample_top = seed % 3 == 0 ? 5 : 0;
    if (request.config.sample_top > 0) request.config.beam = request.nbest = 1;
    std::vector<SearchTask> tasks = random_tasks(random, 17, made);
    for (size_t i = 0; i < tasks.size(); i += 4) tasks[i].prefix = random_sentence(random, 4, made.sizes.target);

    const auto together = search(made, tasks, request);
    std::vector<SearchTask> reversed(tasks.rbegin(), tasks.rend());
    const auto backwards = search(made, reversed, request);
    for (size_t i = 0; i < tasks.size(); ++i) {
      EXPECT_TRUE(identical(search(made, {tasks[i]}, request)[0], together[i])) << i;
      EXPECT_TRUE(identical(backwards[tasks.size() - 1 - i], together[i])) << i;
    }
  }
}

// Sentences that join a search at any step, each with needs of its own, are translated as they are alone.
TEST(BeamSearch, SentencesJoinAtAnyTime) {
  size_t joined_others = 0;
  for (uint64_t seed = 400; seed < 420; ++seed) {
    SCOPED_TRACE(seed);
    const ThreadCount threads(1 + static_cast<int>(seed % 2));
    const MadeModel made = made_model(seed), other = made_model(made.config, made.sizes, seed + 1000);
    Random random(seed, 2);
    SearchRequest request = random_request(random);
    request.config.sample_top = seed % 3 == 0 ? 5 : 0;
    if (request.config.sample_top > 0) request.config.beam = request.nbest = 1;
    std::vector<SearchTask> tasks = random_tasks(random, 40, made);
    for (size_t i = 0; i < tasks.size(); i += 4) tasks[i].prefix = random_sentence(random, 4, made.sizes.target);
    std::vector<DecodableModel*> models = {made.model.get()};
    if (seed % 4 == 0) models.push_back(other.model.get());
    std::vector<TranslationNeeds> needs;
    for (size_t i = 0; i < tasks.size(); ++i) {
      const auto nbest = 1 + static_cast<int64_t>(random.below(static_cast<uint64_t>(request.config.beam)));
      needs.push_back({nbest, random.below(2) == 0});
    }

    std::vector<std::vector<Hypothesis>> found(tasks.size());
    BeamSearch fed(models, made.sizes.target, request.config, request.seed);
    for (size_t added = 0, done = 0; done < tasks.size();) {
      joined_others += added > 0 && added < tasks.size() && fed.sentences() > 0 ? 1 : 0;
      for (uint64_t n = random.below(4); n > 0 && added < tasks.size(); --n, ++added) {
        EXPECT_EQ(fed.add(tasks[added], needs[added]), added);
      }
      for (BeamSearch::Done& each : fed.step()) {
        found[each.number] = std::move(each.hypotheses);
        ++done;
      }
      EXPECT_EQ(fed.sentences(), added - done);
    }
    EXPECT_EQ(fed.cached_rows(), 0u);
    EXPECT_EQ(fed.source_tokens(), 0u);
    for (size_t i = 0; i < tasks.size(); ++i) {
      request.nbest = needs[i].nbest;
      request.align = needs[i].align;
      const auto alone = search(models, made.sizes.target, std::span(&tasks[i], 1), request)[0];
      EXPECT_LE(alone.size(), static_cast<size_t>(request.nbest));
      EXPECT_TRUE(identical(found[i], alone)) << i;
    }
  }
  EXPECT_GT(joined_others, 100u);
}

// Copies of weights that a search made must not outlive a change of the weights.
TEST(BeamSearch, UsesTheWeightsAsTheyAreNow) {
  const MadeModel changed = made_model(300);
  const MadeModel other = made_model(changed.config, changed.sizes, 301);
  Random random(300, 2);
  const std::vector<SearchTask> tasks = random_tasks(random, 6, changed);
  const SearchRequest request = random_request(random);
  const auto before = search(changed, tasks, request), expected = search(other, tasks, request);
  const std::span<const float> weights = other.model->weights().values().host();
  changed.model->weights().write().upload(weights);
  const auto after = search(changed, tasks, request);
  size_t different = 0;
  for (size_t i = 0; i < tasks.size(); ++i) {
    EXPECT_TRUE(identical(after[i], expected[i])) << i;
    different += identical(before[i], after[i]) ? 0 : 1;
  }
  EXPECT_GT(different, 0u);
}

TEST(BeamSearch, NothingToDo) { EXPECT_TRUE(search(made_model(1), {}, SearchRequest()).empty()); }

}  // namespace
}  // namespace verbund
