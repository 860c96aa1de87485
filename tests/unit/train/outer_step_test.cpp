// SPDX-License-Identifier: Apache-2.0
// The outer step against plain formulas: one worker alone, and three that have seen different numbers of tokens.
#include "train/outer_step.h"

#include <gtest/gtest.h>

#include <mutex>

#include "support/on_cpu.h"
#include "support/thread_workers.h"

namespace verbund {
namespace {

WorkersConfig rounds(double rate, double momentum) {
  WorkersConfig config;
  config.sync_every = 4;
  config.outer_rate = rate;
  config.outer_momentum = momentum;
  return config;
}

// The weights of one worker, its outer step and its reducer.
struct OneWorker {
  OneWorker(Workers& all, const WorkersConfig& config, std::vector<float> initial)
      : weights(cpu(), initial.size()), outer(initial.size(), config), reducer(all, outer.changes(), config) {
    weights.write().upload(initial);
  }

  // A step of training that changes each weight by this.
  void train(float change, int64_t own_tokens, int64_t all_tokens) {
    outer.begin_step(weights);
    for (float& value : weights.write().host()) value += change;
    outer.count_tokens(own_tokens, all_tokens);
  }
  void send(bool meets) { outer.send(weights, reducer, std::chrono::steady_clock::now(), meets); }
  bool meet() {
    if (!outer.is_sent()) send(true);
    if (!outer.receive(reducer)) return false;
    outer.update(weights);
    return true;
  }
  float weight(size_t i) const { return weights.values().host()[i]; }

  Weights weights;
  OuterStep outer;
  GradientReducer reducer;
};

TEST(OuterStep, AloneItIsNesterovOnTheChangeOfARound) {
  Workers alone;
  OneWorker worker(alone, rounds(0.5, 0.9), {1, 2});
  worker.train(-0.125f, 10, 10);
  worker.train(-0.125f, 10, 10);
  ASSERT_TRUE(worker.meet());  // g = 0.25, b = 0.25
  EXPECT_FLOAT_EQ(worker.weight(0), 1 - 0.5f * (0.25f + 0.9f * 0.25f));
  EXPECT_FLOAT_EQ(worker.outer.momentum()[1], 0.25f);
  EXPECT_TRUE(worker.outer.ahead().empty());
  const float before = worker.weight(1);
  worker.train(0.5f, 10, 10);
  ASSERT_TRUE(worker.meet());  // g = -0.5, b = 0.225 - 0.5
  EXPECT_FLOAT_EQ(worker.weight(1), before - 0.5f * (-0.5f + 0.9f * (0.225f - 0.5f)));
}

// With rate 1 and no momentum, the outer weights are the mean of all, weighted by tokens; one worker has seen none.
TEST(OuterStep, WorkersCountByTheirTokens) {
  std::mutex mutex;
  run_as_workers(3, [&](Workers& all) {
    const int rank = all.rank();
    OneWorker worker(all, rounds(1, 0), std::vector<float>(100, 1.0f));
    const int64_t own = rank == 0 ? 30 : rank == 1 ? 10 : 0;
    worker.train(rank == 0 ? 0.4f : rank == 1 ? -0.8f : 0.0f, own, 40);
    ASSERT_TRUE(worker.meet());
    const std::lock_guard lock(mutex);
    EXPECT_NEAR(worker.weight(0), 1 + 0.75 * 0.4 - 0.25 * 0.8, 1e-6);
    EXPECT_EQ(worker.weight(0), worker.weight(99));
  });
}

// What a worker learns after it has sent is added to the new outer weights when it goes on.
TEST(OuterStep, TrainsOnWhileTheWeightsAreOnTheWay) {
  std::mutex mutex;
  run_as_workers(2, [&](Workers& all) {
    OneWorker worker(all, rounds(1, 0), {1, 1});
    worker.train(all.leads() ? 0.2f : 0.4f, 10, 20);
    worker.send(false);
    worker.train(all.leads() ? 0.01f : 0.02f, 10, 20);
    ASSERT_TRUE(worker.meet());
    const std::lock_guard lock(mutex);
    EXPECT_NEAR(worker.weight(0), 1.3, 1e-6);
    EXPECT_NEAR(worker.outer.ahead()[0], all.leads() ? 0.01 : 0.02, 1e-6);
    worker.train(0, 10, 20);
    EXPECT_NEAR(worker.weight(0), all.leads() ? 1.31 : 1.32, 1e-6);
  });
}

TEST(OuterStep, AChangeThatIsNotFiniteIsRefusedByAll) {
  run_as_workers(2, [&](Workers& all) {
    OneWorker worker(all, rounds(1, 0), {1, 1});
    worker.train(all.leads() ? 0.1f : std::numeric_limits<float>::infinity(), 1, 2);
    EXPECT_FALSE(worker.meet());
  });
}

}  // namespace
}  // namespace verbund
