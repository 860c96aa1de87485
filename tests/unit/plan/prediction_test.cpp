// SPDX-License-Identifier: Apache-2.0
#include "plan/prediction.h"

#include <gtest/gtest.h>

#include "plan/compute_rates.h"
#include "plan/plan.h"
#include "support/expect_error.h"

namespace verbund {
namespace {

using testing::HasSubstr;

// Transformer-base on workers that make 1 TFLOP/s each.
Scenario base(const char* hosts, double bytes_per_second, double round_trip = 2e-4) {
  Scenario scenario;
  scenario.config.batch.tokens = 8000;
  scenario.config.train.max_steps = 1000;
  scenario.hosts = parse_host_list(hosts);
  scenario.compute.gemm = 1e12;
  scenario.compute.attention = 0.5e12;
  scenario.compute.update_bytes = 1e11;
  scenario.exchange.link = bytes_per_second;
  scenario.exchange.round_trip = round_trip;
  return scenario;
}

AssumedBatches batches() { return {{32768, 32768}, 32}; }

Prediction of_all(const Scenario& scenario) {
  AssumedBatches made = batches();
  return predict(scenario, made, total_slots(scenario.hosts));
}

std::vector<std::string> advised(const Scenario& scenario) {
  AssumedBatches made = batches();
  std::vector<std::string> settings;
  for (const Advice& advice : advise(scenario, made, of_all(scenario))) settings.push_back(advice.setting);
  return settings;
}

bool has(const std::vector<std::string>& settings, const std::string& start) {
  return std::any_of(settings.begin(), settings.end(), [&](const std::string& s) { return s.starts_with(start); });
}

TEST(Prediction, OneWorkerIsTheMeasureOfEfficiency) {
  AssumedBatches made = batches();
  const std::vector<Prediction> all = predict_all(base("a:2,b:2", 1e9), made);
  ASSERT_EQ(all.size(), 4);
  EXPECT_DOUBLE_EQ(efficiency(all[0], all[0]), 1);
  EXPECT_GT(efficiency(all[1], all[0]), 0.9);
  for (const Prediction& prediction : all) EXPECT_LE(efficiency(prediction, all[0]), 1 + 1e-9);
  EXPECT_EQ(all[1].hosts, 1);
  EXPECT_EQ(all[3].hosts, 2);
}

TEST(Prediction, OfManyWorkersSomeNumbersAreShown) {
  AssumedBatches made = batches();
  std::vector<int> workers;
  for (const Prediction& p : predict_all(base("a:10,b:10", 1e9), made)) workers.push_back(p.workers);
  EXPECT_EQ(workers, (std::vector<int>{1, 2, 4, 8, 16, 20}));
}

TEST(Prediction, AFastNetworkIsHidden) {
  const Prediction fast = of_all(base("a:1,b:1", 10e9));
  EXPECT_EQ(find_limit(fast).limit, Limit::kCompute);
  EXPECT_LT(fast.step.exposed, 0.01 * fast.step.seconds);
}

// 244 MB at 5 MB/s take 49 s, and the computation 1.5 s.
TEST(Prediction, ASlowNetworkIsTheStep) {
  const Prediction slow = of_all(base("a:1,b:1", 5e6));
  EXPECT_EQ(find_limit(slow).limit, Limit::kNetworkRate);
  EXPECT_NEAR(slow.step.seconds, 244e6 / 5e6 + 2, 3);
  EXPECT_NEAR(slow.step.sent_bytes, 244e6, 15e6);
}

TEST(Prediction, SoIsALongWay) {
  const Prediction far = of_all(base("a:1,b:1", 1e12, 3));
  EXPECT_EQ(find_limit(far).limit, Limit::kNetworkLatency);
  EXPECT_EQ(far.bucket_bytes, 32 << 20);  // it takes the largest buckets
}

TEST(Prediction, ASmallBatchIsUpdating) {
  Scenario scenario = base("a:1", 0);
  scenario.config.batch.tokens = 50;
  scenario.compute.update_bytes = 1e10;
  EXPECT_EQ(find_limit(of_all(scenario)).limit, Limit::kUpdate);
}

TEST(Prediction, MicroBatchesThatAreSmallHideLess) {
  Scenario scenario = base("a:1,b:1", 300e6);
  scenario.config.batch.tokens = 16000;
  scenario.config.train.micro_batch_tokens = 0;
  const double at_once = of_all(scenario).step.seconds;
  scenario.config.train.micro_batch_tokens = 1000;
  EXPECT_GT(of_all(scenario).step.seconds, 1.05 * at_once);
  EXPECT_LT(of_all(scenario).memory_bytes, 0.5 * 8e9);
}

// Its rows go in bf16, and what is rounded away is kept: as much as a gradient on each host.
TEST(Prediction, Int8SendsAQuarterAndKeepsResiduals) {
  Scenario scenario = base("a:1,b:1", 20e6);
  const Prediction fp32 = of_all(scenario);
  scenario.config.workers.wire = Wire::kBf16;
  const Prediction bf16 = of_all(scenario);
  scenario.config.workers.wire = Wire::kInt8;
  const Prediction int8 = of_all(scenario);
  const double gradient = 4 * 60.9e6, rows = bf16.step.sent_bytes - gradient / 2;
  EXPECT_GT(rows, 1e6);
  EXPECT_NEAR(int8.step.sent_bytes, 1.0157 * gradient / 4 + rows, 0.2e6);
  EXPECT_NEAR(int8.memory_bytes - fp32.memory_bytes, gradient, 0.01 * gradient);
}

TEST(Advice, ASlowNetworkWantsFewerBytes) {
  const std::vector<std::string> settings = advised(base("a:1,b:1", 20e6));
  EXPECT_TRUE(has(settings, "workers.wire=bf16"));
  EXPECT_TRUE(has(settings, "workers.wire=int8"));
  EXPECT_TRUE(has(settings, "batch.tokens=32000"));
  EXPECT_TRUE(has(settings, "-H a:2"));
  EXPECT_TRUE(has(settings, "a network 10 times as fast"));
}

TEST(Advice, AVerySlowNetworkWantsFewerExchanges) {
  Scenario slow = base("a:2,b:2", 1e6);
  EXPECT_TRUE(has(advised(slow), "workers.sync_every=32"));
  slow.config.workers.sync_every = 32;
  const Prediction rounds = of_all(slow);
  EXPECT_TRUE(has(advised(slow), "workers.sync_every=128"));
  EXPECT_TRUE(has(advised(slow), "workers.sync_delay=16"));
  slow.config.workers.sync_every = 1;
  const Prediction each = of_all(slow);
  EXPECT_GT(each.step.seconds, 10 * rounds.step.seconds);
  EXPECT_GT(rounds.memory_bytes, each.memory_bytes);
  slow.config.workers.shard_optimizer = true;
  EXPECT_FALSE(has(advised(slow), "workers.sync_every"));
}

// 60 steps in rounds of 1,000 exchange once, at the last step, as in a round of 60.
TEST(Advice, NothingIsLongerThanTheTraining) {
  Scenario slow = base("a:1,b:1", 2e6);
  slow.config.train.max_steps = 60;
  slow.config.workers.sync_every = 60;
  const Prediction once = of_all(slow);
  slow.config.workers.sync_every = 1000;
  const Prediction longer = of_all(slow);
  EXPECT_DOUBLE_EQ(longer.step.sent_bytes, once.step.sent_bytes);
  EXPECT_DOUBLE_EQ(longer.step.seconds, once.step.seconds);
  EXPECT_DOUBLE_EQ(longer.step.exchanges, 1.0 / 60);
  EXPECT_FALSE(has(advised(slow), "workers.sync"));
  slow.config.workers.sync_every = 20;
  EXPECT_TRUE(has(advised(slow), "workers.sync_every=60"));
}

TEST(Advice, WhereTheExchangeIsHiddenNoWireHelps) {
  Scenario scenario = base("a:1,b:1", 100e9);
  scenario.exchange.core_seconds_per_byte = 0;  // by other hands than the computation's
  const std::vector<std::string> settings = advised(scenario);
  EXPECT_FALSE(has(settings, "workers.wire"));
  EXPECT_FALSE(has(settings, "a network"));
}

TEST(Advice, HostsThatCostMoreThanTheyBringAreLeftOut) {
  EXPECT_TRUE(has(advised(base("a:2,b:2", 1e6)), "-H a:2"));
  EXPECT_FALSE(has(advised(base("a:2,b:2", 1e9)), "-H a:2"));
}

TEST(Advice, OneWorkerNeedsNoNetwork) {
  const std::vector<std::string> settings = advised(base("a:1", 0));
  EXPECT_FALSE(has(settings, "workers.wire"));
  EXPECT_FALSE(has(settings, "-H"));
}

TEST(Advice, TheBestComesFirstAndIsWhatThePredictionSays) {
  const Scenario scenario = base("a:1,b:1", 20e6);
  AssumedBatches made = batches();
  const Prediction now = of_all(scenario);
  const std::vector<Advice> all = advise(scenario, made, now);
  for (size_t i = 1; i < all.size(); ++i) EXPECT_GE(all[i - 1].gain, all[i].gain);
  for (const Advice& advice : all) {
    if (advice.setting != "workers.wire=bf16") continue;
    Scenario then = scenario;
    then.config.workers.wire = Wire::kBf16;
    EXPECT_DOUBLE_EQ(advice.gain, of_all(then).tokens_per_second() / now.tokens_per_second() - 1);
    EXPECT_NEAR(advice.gain, 1, 0.2);  // twice as fast, nearly
  }
}

TEST(Advice, GpusInFp32WantTheirTensorCores) {
  Scenario scenario = base("a:1", 0);
  scenario.gpu = "v100";
  scenario.compute = rates_of_gpu("v100", Precision::kFp32);
  EXPECT_EQ(advised(scenario).front(), "train.precision=fp16");
}

// docs/benchmarks.md: base on 2,193 target tokens took 1,909 MB, small 549 MiB.
TEST(MemoryNeeds, AreAboutWhatWasMeasured) {
  Config config;
  config.batch.tokens = 2193;
  AssumedBatches made = batches();
  const double base_bytes = memory_of_worker(config, {32768, 32768}, made.facts(config, 1), {}, false);
  EXPECT_NEAR(base_bytes, 1909e6, 0.1 * 1909e6);
  config.model.d_model = 256;
  config.model.d_ff = 1024;
  config.model.heads = 4;
  config.model.encoder_layers = config.model.decoder_layers = 4;
  AssumedBatches small({16384, 16384}, 32);
  EXPECT_NEAR(memory_of_worker(config, {16384, 16384}, small.facts(config, 1), {}, false), 576e6, 0.1 * 576e6);
}

TEST(TrainingPlan, TimeAndMoney) {
  AssumedBatches made = batches();
  const TrainingPlan plan = make_plan(base("a:1,b:1", 100e6), made, 3);
  EXPECT_DOUBLE_EQ(plan.seconds(), 1000 * plan.all().step.seconds);
  EXPECT_DOUBLE_EQ(plan.money(), 2 * 3 * plan.seconds() / 3600);
  const std::string table = plan_table(plan, 100);
  EXPECT_NE(table.find("1,000 steps (train.max_steps)"), std::string::npos) << table;
  EXPECT_NE(table.find("at 3 "), std::string::npos) << table;
}

TEST(TrainingPlan, RefusesANetworkThatNothingIsKnownOf) {
  AssumedBatches made = batches();
  EXPECT_ERROR(make_plan(base("a:1,b:1", 0), made, 0), UsageError, HasSubstr("a (1), b (1)"),
               HasSubstr("--link 1gbit"));
  Scenario automatic = base("a:1", 0);
  automatic.config.batch.tokens = kAutomatic;
  EXPECT_ERROR(make_plan(automatic, made, 0), UsageError, HasSubstr("--set batch.tokens=N"));
}

}  // namespace
}  // namespace verbund
