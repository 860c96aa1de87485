// SPDX-License-Identifier: Apache-2.0
// Any number of workers, which are threads here, trains the same model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checkpoint/checkpoint_reader.h"
#include "collectives/agreement.h"
#include "core/error.h"
#include "decode/trained_model.h"
#include "evaluate/evaluation.h"
#include "ranks/training_runs.h"
#include "support/expect_error.h"
#include "support/on_cpu.h"

namespace verbund {
namespace {

using ::testing::HasSubstr;

TEST_F(Training, AnyNumberOfWorkersFollowsTheSameCurve) {
  prepare_data();
  const fs::path one = run("one", 1);
  EXPECT_EQ(losses(one).size(), size_t{kSteps});
  EXPECT_LT(losses(one).back(), 0.9 * losses(one).front());
  for (const int workers : {2, 3, 4}) {
    const fs::path first = run(fmt::format("{}-first", workers), workers);
    expect_same_curve(one, first, 1e-4);
    EXPECT_EQ(weights(first), weights(run(fmt::format("{}-second", workers), workers))) << workers;
  }
}

TEST_F(Training, GoesOnWithAnotherNumberOfWorkers) {
  prepare_data();
  const fs::path one = run("one", 1);
  for (const auto& [before, after] : {std::pair(3, 2), std::pair(1, 4), std::pair(2, 1)}) {
    const std::string name = fmt::format("{}-{}", before, after);
    config_.train.max_steps = kSteps / 2;
    run(name, before);
    config_.train.max_steps = kSteps;
    expect_same_curve(one, run(name, after), 1e-4);
  }
}

TEST_F(Training, BatchesMayHaveFewerSentencesThanWorkers) {
  config_.corpus.generated_pairs = 100;
  config_.subwords.vocabulary = 200;
  config_.batch.tokens = 40;  // two or three sentences
  prepare_data();
  const fs::path one = run("one", 1);
  expect_same_curve(one, run("five", 5), 1e-4);
}

TEST_F(Training, ShardedOptimisersGiveTheSameModel) {
  prepare_data();
  const fs::path whole = run("whole", 3);
  config_.workers.shard_optimizer = true;
  expect_same_curve(whole, run("sharded", 3), 1e-6);
  // Saved by shares and dealt out again, to others.
  config_.train.max_steps = kSteps / 2;
  run("resumed", 3);
  config_.train.max_steps = kSteps;
  expect_same_curve(whole, run("resumed", 2), 1e-4);
  const Checkpoint saved(folder_ / "resumed" / "checkpoints" / "last");
  const Checkpoint expected(whole / "checkpoints" / "last");
  EXPECT_EQ(saved.optimizer()->at("adam.m").shape, expected.optimizer()->at("adam.m").shape);
}

// The rows of embeddings travel apart from their dense gradient, of which some have none; parts of a batch come first.
TEST_F(Training, EmbeddingsMayBeSharedOrNotAndBatchesAccumulated) {
  prepare_data();
  for (const Sharing sharing : {Sharing::kAll, Sharing::kTarget, Sharing::kNone}) {
    config_.model.share_embeddings = sharing;
    config_.train.micro_batch_tokens = 0;
    const std::string name = fmt::format("{}", static_cast<int>(sharing));
    const fs::path one = run(name + "-one", 1);
    config_.train.micro_batch_tokens = 70;  // of 167 a worker
    expect_same_curve(one, run(name + "-three", 3), 1e-4);
    config_.workers.shard_optimizer = !config_.workers.shard_optimizer;
    expect_same_curve(one, run(name + "-two", 2), 1e-4);
  }
}

TEST_F(Training, SixteenBitsOnTheWireStayNear) {
  prepare_data();
  const fs::path exact = run("fp32", 2);
  config_.workers.wire = Wire::kBf16;
  expect_same_curve(exact, run("bf16", 2), 5e-3);
  config_.workers.wire = Wire::kFp16;
  const fs::path fp16 = run("fp16", 2);
  expect_same_curve(exact, fp16, 1e-3);
  EXPECT_NE(weights(fp16), weights(exact));
}

TEST_F(Training, EvaluationIsTheSameHoweverManyShareIt) {
  prepare_data();
  config_.evaluate.teacher_forced = true;
  const fs::path trained = run("one", 1);
  std::vector<Evaluation> results;
  for (const int workers : {1, 2, 5}) {
    run_as_workers(workers, [&](Workers& all) {
      ModelPlace place;
      place.folder = trained;
      TrainedModel model = load_trained_model(place);
      const TestSet set = read_test_set(Dataset(folder_ / "data"), "dev", model.source, model.target);
      Evaluation result =
          evaluate(*model.model, set, model.source, model.target, config_.evaluate, config_.decode, all);
      if (all.rank() == all.size() - 1) results.push_back(std::move(result));
    });
  }
  for (const Evaluation& result : results) {
    EXPECT_EQ(result.loss.smoothed, results[0].loss.smoothed);
    EXPECT_EQ(result.loss.tokens, results[0].loss.tokens);
    EXPECT_EQ(result.translations, results[0].translations);
    EXPECT_EQ(result.bleu.score, results[0].bleu.score);
    ASSERT_EQ(result.sentences.size(), results[0].sentences.size());
    for (size_t i = 0; i < result.sentences.size(); ++i) {
      EXPECT_EQ(result.sentences[i].cross_entropy, results[0].sentences[i].cross_entropy);
    }
    EXPECT_EQ(result.bleu_statistics.size(), result.translations.size());
    EXPECT_EQ(result.chrf_statistics.size(), result.translations.size());
    EXPECT_EQ(result.teacher_forced_bleu, results[0].teacher_forced_bleu);
    EXPECT_EQ(result.translated_tokens, results[0].translated_tokens);
  }
}

TEST_F(Training, ADifferentConfigurationIsNamed) {
  prepare_data();
  EXPECT_ERROR(run_as_workers(3,
                              [&](Workers& all) {
                                TrainRequest request;
                                request.config = config_;
                                if (all.rank() == 2) request.config.schedule.warmup_steps = 31;
                                request.datasets = {folder_ / "data"};
                                request.run = folder_ / "run";
                                train(request, all);
                              }),
               Error, HasSubstr("worker 2"), HasSubstr("schedule.warmup_steps is 31"), HasSubstr("20"));
  EXPECT_FALSE(fs::exists(folder_ / "run"));
}

TEST_F(Training, AWorkerThatIsAskedForSomethingElseIsNamed) {
  prepare_data();
  const auto train_with = [&](auto change) {
    run_as_workers(3, [&](Workers& all) {
      TrainRequest request;
      request.config = config_;
      if (all.rank() == 1) change(request);
      request.datasets = {folder_ / "data"};
      request.run = folder_ / "run";
      train(request, all);
    });
  };
  EXPECT_ERROR(train_with([](TrainRequest& request) { request.benchmark_steps = 3; }), Error,
               HasSubstr("--resume auto,"), HasSubstr("worker 1 on"), HasSubstr(": --resume auto --benchmark 3"));
  EXPECT_ERROR(train_with([](TrainRequest& request) { request.resume = Resume::kForce; }), Error,
               HasSubstr("worker 1 on"), HasSubstr(": --resume force"));
  EXPECT_FALSE(fs::exists(folder_ / "run"));
}

TEST(Agreement, AWorkerWithOtherWeightsIsNamed) {
  EXPECT_ERROR(run_as_workers(3,
                              [](Workers& all) {
                                std::vector<float> weights(1000, 0.5f);
                                check_weights(all, on_cpu(weights), 7);
                                if (all.rank() == 1) weights[999] = std::nextafter(0.5f, 1.0f);
                                check_weights(all, on_cpu(weights), 8);
                              }),
               Error, HasSubstr("after step 8"), HasSubstr("worker 1 on"));
}

}  // namespace
}  // namespace verbund
