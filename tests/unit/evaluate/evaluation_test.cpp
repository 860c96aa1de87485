// SPDX-License-Identifier: Apache-2.0
#include "evaluate/evaluation.h"

#include <gmock/gmock.h>

#include <numeric>

#include "support/made_model.h"
#include "support/thread_workers.h"

namespace verbund {
namespace {

TestSet random_set(size_t pairs, const MadeModel& made) {
  TestSet set;
  Random random(5, 0);
  for (size_t i = 0; i < pairs; ++i) {
    set.source_tokens.push_back(random_sentence(random, 30, made.sizes.source));
    set.reference_tokens.push_back(random_sentence(random, 30, made.sizes.target));
  }
  return set;
}

TEST(SetLoss, IsThatOfEachSentenceAlone) {
  const MadeModel made = made_model(3);
  const TestSet set = random_set(20, made);
  Workers alone;
  const SetLoss loss = loss_on(*made.model, set, alone);
  ASSERT_EQ(loss.sentences.size(), set.size());
  double sum = 0;
  int64_t tokens = 0;
  for (size_t i = 0; i < set.size(); ++i) {
    Batch batch;
    append(batch, set.source_tokens[i], set.reference_tokens[i], i);
    const std::vector<double> log = made.model->token_log_probabilities(batch);
    EXPECT_EQ(loss.sentences[i].tokens, static_cast<int64_t>(log.size()));
    EXPECT_NEAR(loss.sentences[i].cross_entropy, -std::accumulate(log.begin(), log.end(), 0.0), 1e-4) << i;
    sum += loss.sentences[i].cross_entropy;
    tokens += loss.sentences[i].tokens;
  }
  EXPECT_EQ(loss.sum.tokens, tokens);
  EXPECT_NEAR(loss.sum.cross_entropy, sum, 1e-9 * sum);
}

TEST(SetLoss, HasTheSameBitsWhoeverShares) {
  const TestSet set = random_set(1000, made_model(3));  // several batches
  std::vector<SetLoss> results;
  for (const int count : {1, 2, 3}) {
    run_as_workers(count, [&](Workers& workers) {
      const MadeModel made = made_model(3);
      SetLoss loss = loss_on(*made.model, set, workers);
      if (workers.rank() == count - 1) results.push_back(std::move(loss));
    });
  }
  for (const SetLoss& result : results) {
    EXPECT_EQ(result.sum.smoothed, results[0].sum.smoothed);
    EXPECT_EQ(result.sum.cross_entropy, results[0].sum.cross_entropy);
    EXPECT_EQ(result.sum.correct, results[0].sum.correct);
    for (size_t i = 0; i < set.size(); ++i) {
      EXPECT_EQ(result.sentences[i].cross_entropy, results[0].sentences[i].cross_entropy) << i;
    }
  }
}

TEST(SetLoss, AskingForEachTokenChangesNoBit) {
  const MadeModel made = made_model(4);
  Batch batch;
  Random random(7, 0);
  for (size_t i = 0; i < 9; ++i) {
    append(batch, random_sentence(random, 12, made.sizes.source), random_sentence(random, 12, made.sizes.target), i);
  }
  std::vector<double> each(batch.target_tokens());
  const Loss with = made.model->evaluate(batch, each), without = made.model->evaluate(batch);
  EXPECT_EQ(with.smoothed, without.smoothed);
  EXPECT_EQ(with.cross_entropy, without.cross_entropy);
  EXPECT_EQ(with.cross_entropy, std::accumulate(each.begin(), each.end(), 0.0));
}

}  // namespace
}  // namespace verbund
