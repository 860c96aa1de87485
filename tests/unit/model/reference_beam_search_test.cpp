// SPDX-License-Identifier: Apache-2.0
// The batched beam search with a kv cache against the reference search of single sentences on the reference model.
#include "unit/model/reference_beam_search.h"

#include <gtest/gtest.h>

#include <set>

#include "reference/reference_transformer.h"
#include "support/made_model.h"

namespace verbund {
namespace {

constexpr double kTolerance = 1e-4;

std::vector<double> reference_next(const MadeModel& made, const Sentence& source, const Sentence& beginning) {
  const std::span<float> weights = made.model->weights().values().host();
  std::vector<double> values(weights.begin(), weights.end());
  return reference_next_log_probabilities(made.config, made.model->table(), values, source, beginning);
}

// Counts of what the comparison has seen, so that it cannot pass without comparing anything.
struct Seen {
  int hypotheses = 0, ended = 0, near_ties = 0;
  std::set<Sentence> different;
};

void expect_same(const std::vector<Hypothesis>& actual, const std::vector<Hypothesis>& expected, Seen& seen) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    ASSERT_NEAR(actual[i].score, expected[i].score, kTolerance) << i;
    ++seen.hypotheses;
    seen.ended += actual[i].finished ? 1 : 0;
    seen.different.insert(actual[i].tokens);
    if (actual[i].tokens != expected[i].tokens) {  // they have the same score
      ++seen.near_ties;
      continue;
    }
    EXPECT_NEAR(actual[i].log_probability, expected[i].log_probability, kTolerance) << i;
    EXPECT_EQ(actual[i].finished, expected[i].finished) << i;
  }
}

TEST(ReferenceBeamSearch, IsWhatTheBatchedSearchFinds) {
  Seen seen;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const MadeModel made = made_model(seed);
    Random random(seed, 2);
    const SearchRequest request = random_request(random);
    std::vector<SearchTask> tasks = random_tasks(random, 5, made);
    tasks[4].prefix = random_sentence(random, 3, made.sizes.target);
    const auto results = search(made, tasks, request);
    ASSERT_EQ(results.size(), tasks.size());
    for (size_t i = 0; i < tasks.size(); ++i) {
      SCOPED_TRACE(i);
      const NextToken next = [&](const Sentence& beginning) {
        return reference_next(made, tasks[i].source, beginning);
      };
      expect_same(results[i], reference_beam_search(next, tasks[i], request), seen);
    }
  }
  EXPECT_GT(seen.hypotheses, 300);
  EXPECT_GT(seen.ended, seen.hypotheses / 4);
  EXPECT_LT(seen.ended, seen.hypotheses * 3 / 4);
  EXPECT_GT(seen.different.size(), static_cast<size_t>(seen.hypotheses) / 2);
  EXPECT_LE(seen.near_ties, 2);
  RecordProperty("hypotheses", seen.hypotheses);
  RecordProperty("ended", seen.ended);
  RecordProperty("different", static_cast<int>(seen.different.size()));
  RecordProperty("near ties", seen.near_ties);
}

// Of different shape, with the same vocabularies.
TEST(ReferenceBeamSearch, AnEnsembleHasTheMeanOfTheProbabilities) {
  std::vector<MadeModel> made;
  std::vector<DecodableModel*> models;
  Random random(5, 2);
  for (uint64_t seed = 50; seed < 53; ++seed) {
    made.push_back(made_model(small_model(random), {25, 25}, seed));
    models.push_back(made.back().model.get());
  }
  const std::vector<SearchTask> tasks = random_tasks(random, 10, made[0]);
  SearchRequest request;
  request.nbest = 2;
  request.config.max_extra = 2;
  const auto results = search(models, 25, tasks, request);
  size_t unlike_the_first = 0;
  for (size_t i = 0; i < tasks.size(); ++i) {
    const NextToken next = [&](const Sentence& beginning) {
      std::vector<double> mean(25, 0);
      for (const MadeModel& model : made) {
        const std::vector<double> own = reference_next(model, tasks[i].source, beginning);
        for (size_t token = 0; token < mean.size(); ++token) mean[token] += std::exp(own[token]) / 3;
      }
      for (double& value : mean) value = std::log(value);
      return mean;
    };
    const auto expected = reference_beam_search(next, tasks[i], request);
    ASSERT_EQ(results[i].size(), expected.size());
    for (size_t n = 0; n < expected.size(); ++n) {
      EXPECT_EQ(results[i][n].tokens, expected[n].tokens) << i << ", " << n;
      EXPECT_NEAR(results[i][n].score, expected[n].score, 1e-4) << i << ", " << n;
    }
    unlike_the_first += search(made[0], {tasks[i]}, request)[0][0].tokens != expected[0].tokens ? 1 : 0;
  }
  EXPECT_GT(unlike_the_first, 3u);
}

}  // namespace
}  // namespace verbund
