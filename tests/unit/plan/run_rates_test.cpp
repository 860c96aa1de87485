// SPDX-License-Identifier: Apache-2.0
#include "plan/run_rates.h"

#include <gtest/gtest.h>

#include "plan/plan.h"
#include "plan/prediction.h"
#include "support/expect_error.h"
#include "unit/report/made_run.h"

namespace verbund {
namespace {

using testing::HasSubstr;

Config small() {
  Config config;
  config.model.d_model = 64;
  config.model.d_ff = 128;
  config.model.heads = 2;
  config.model.encoder_layers = config.model.decoder_layers = 1;
  config.batch.tokens = 2000;
  return config;
}

// Steps of a run whose workers compute 0.7 s and update 0.05 s.
RunData made(int workers, int on_each_host, int steps = 20) {
  MadeRun run(workers, on_each_host);
  run.data().config = small();
  run.start(1);
  for (int step = 1; step <= steps; ++step) {
    run.step(step, [](int) { return MadeStep(); });
  }
  return run.take();
}

TEST(RunRates, OneWorkerTakesItsOwnTimeAgain) {
  AssumedBatches batches({1000, 1000}, 20);
  const RunRates rates = rates_of_run(made(1, 1), batches);
  EXPECT_EQ(rates.steps, 20);
  EXPECT_NEAR(rates.step_seconds, 0.76, 1e-5);
  const Scenario scenario = {small(), rates.hosts, rates.compute, rates.exchange, ""};
  EXPECT_NEAR(predict(scenario, batches, 1).step.seconds, 0.76, 1e-5);
}

TEST(RunRates, HostsAreThoseOfTheRun) {
  AssumedBatches batches({1000, 1000}, 20);
  EXPECT_EQ(rates_of_run(made(4, 2), batches).hosts, (std::vector<Host>{{"a", 2}, {"b", 2}}));
}

// 20 steps with two workers, then 6 with one: the rates are those of two.
TEST(RunRates, OfARunWhoseWorkersChangedTheLargestPartCounts) {
  MadeRun run(2, 2);
  run.data().config = small();
  run.start(1);
  run.steps(1, 20, {0, 0.3, 0.1, 0.05});
  run.end("finished");
  run.use_workers(1);
  run.start(1, 20);
  run.steps(21, 26);
  run.end("finished");
  AssumedBatches batches({1000, 1000}, 20);
  const RunRates rates = rates_of_run(run.take(), batches);
  EXPECT_EQ(rates.hosts, (std::vector<Host>{{"a", 2}}));
  EXPECT_EQ(rates.steps, 20);
  EXPECT_NEAR(rates.step_seconds, 0.45, 1e-5);
  EXPECT_THAT(rates.compute.source, HasSubstr("21 to 26"));
}

TEST(RunRates, WhatDoesNotTellTheNetworkIsNamed) {
  AssumedBatches batches({1000, 1000}, 20);
  RunData rounds = made(4, 2);
  rounds.config->workers.sync_every = 8;
  const RunRates rates = rates_of_run(rounds, batches);
  EXPECT_EQ(rates.exchange.link, 0);
  EXPECT_THAT(rates.exchange.unknown, HasSubstr("workers.sync_every"));
  EXPECT_THAT(rates_of_run(made(2, 2), batches).exchange.unknown, HasSubstr("one host"));
  const Scenario scenario = {small(), rates.hosts, rates.compute, rates.exchange, ""};
  EXPECT_ERROR(make_plan(scenario, batches, 0), UsageError, HasSubstr(rates.exchange.unknown));
}

// Buckets of 1 to 4 MB that take 10 ms and 0.1 s for a megabyte, on two hosts with two workers each.
TEST(RunRates, TheNetworkIsThatOfTheTraces) {
  RunData run = made(4, 2);
  for (int64_t step = 10; step <= 20; step += 10) {
    for (int rank = 0; rank < 4; ++rank) {
      ExchangeTrace trace;
      trace.step = step;
      trace.rank = rank;
      trace.compute = 0.7;
      trace.seconds = 2;
      double at = 0.8;
      for (const uint64_t megabytes : {1, 3, 2, 4}) {
        const double took = 0.01 + 0.1 * static_cast<double>(megabytes);
        trace.buckets.push_back({at, at, at + took, megabytes * 1000000});
        at += took;
      }
      run.exchange.push_back(trace);
    }
  }
  AssumedBatches batches({1000, 1000}, 20);
  const RunRates rates = rates_of_run(run, batches);
  EXPECT_NEAR(rates.exchange.link, 2 * 10e6, 0.1e6);  // two workers share it
  EXPECT_NEAR(rates.exchange.round_trip, 0.01, 1e-3);
}

// 136,000 parameters in 0.1 s, by the worker that was the last to begin.
TEST(RunRates, WithinOneHostTheTracesTellOfItsMemory) {
  RunData run = made(2, 2);
  for (int rank = 0; rank < 2; ++rank) {
    ExchangeTrace trace;
    trace.step = 10;
    trace.rank = rank;
    trace.buckets = {{0.1, 0.1, 0.3 - 0.1 * rank, 0}};
    run.exchange.push_back(trace);
  }
  AssumedBatches batches({1000, 1000}, 20);
  const auto parameters = static_cast<double>(ParameterTable(small().model, {1000, 1000}).count());
  EXPECT_NEAR(rates_of_run(run, batches).exchange.memory, 4 * parameters / 0.1, 1);
}

TEST(RunRates, ARunWithoutStepsTellsNothing) {
  AssumedBatches batches({1000, 1000}, 20);
  EXPECT_ERROR(rates_of_run(made(1, 1, 2), batches), Error, HasSubstr("5"), HasSubstr("--tokens-per-second"));
}

}  // namespace
}  // namespace verbund
