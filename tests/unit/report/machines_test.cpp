// SPDX-License-Identifier: Apache-2.0
// Verdicts on processors, network, step time and traffic, for runs with known properties.
#include "report/judge.h"
#include "report/verdicts/evidence.h"
#include "statistics/quantile.h"
#include "support/normal_numbers.h"
#include "unit/report/made_exchange.h"
#include "unit/report/made_run.h"

namespace verbund {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Samples of a worker for as long as the steps take; of the host, too, if it is the first there.
Resources samples(int rank, const std::string& host, double cores_used, double cores, double steal) {
  Resources resources;
  resources.header.rank = rank;
  resources.header.host = host;
  const std::vector<std::pair<std::string, double>> columns = {
      {"process.cpu_user", cores_used}, {"process.cpu_system", 0},         {"host.cpu_user", cores_used},
      {"host.cpu_system", 0},           {"host.cpu_steal", steal * cores}, {"host.cpu_idle", cores - cores_used},
      {"host.pressure_cpu", 0.01},      {"net.eth0.sent_bytes", 5e6},      {"net.lo.sent_bytes", 1e9}};
  for (const auto& [name, value] : columns) {
    resources.header.columns.push_back({name, "", ""});
    resources.values.emplace_back(200, static_cast<float>(value));
  }
  for (int i = 0; i < 200; ++i) resources.times.push_back(1000000.0 + i);
  return resources;
}

struct Machine {
  double used = 3.8, steal = 0;
};

RunData run_on(std::vector<Machine> machines, const MadeStep& step) {
  MadeRun made(static_cast<int>(machines.size()));
  made.start(0);
  made.steps(1, 200, step);
  made.end("finished");
  for (size_t i = 0; i < machines.size(); ++i) {
    const std::string host(1, static_cast<char>('a' + i));
    made.data().resources.push_back(samples(static_cast<int>(i), host, machines[i].used, 4, machines[i].steal));
  }
  return made.take();
}

Verdict processors_of(const RunData& run) { return processors(run, make_ledger(run)); }

TEST(Processors, Busy) {
  const Verdict verdict = processors_of(run_on({{3.8}, {3.8}}, {0, 0.95, 0, 0.05}));
  EXPECT_EQ(verdict.finding, Grade::kGood);
  EXPECT_NEAR(find_figure(verdict, "CPU use, all hosts").value, 95, 1e-3);
}

TEST(Processors, Idle) {
  const Verdict verdict = processors_of(run_on({{1.2}, {0.8}}, {0, 0.3, 0.65, 0.05}));
  EXPECT_EQ(verdict.finding, Grade::kBad);
  EXPECT_NEAR(find_figure(verdict, "CPU use, all hosts").value, 25, 1e-3);
  EXPECT_THAT(verdict.sentence, HasSubstr("b: 20 %"));
  EXPECT_NEAR(find_figure(verdict, "computing and updating, of the time of steps").value, 35, 0.1);
}

TEST(Processors, Spinning) {
  const Verdict verdict = processors_of(run_on({{4}, {4}}, {0, 0.3, 0.65, 0.05}));
  EXPECT_EQ(verdict.finding, Grade::kBad);
  EXPECT_NEAR(find_figure(verdict, "CPU use, all hosts").value, 100, 1e-3);
}

TEST(Processors, AThrottledHostIsNamed) {
  const Verdict verdict = processors_of(run_on({{3.8}, {3.3, 0.15}}, {0, 0.95, 0, 0.05}));
  EXPECT_THAT(verdict.sentence, HasSubstr("On b the hypervisor gave 15 %"));
  EXPECT_EQ(verdict.finding, Grade::kNeutral);
}

// Other programs took the cores: the advice is to stop them, not another batch size.
TEST(Processors, TheAdviceFollowsFromWhatWasFound) {
  RunData crowded = run_on({{1.0}}, {0, 0.95, 0, 0.05});
  crowded.resources.front().values[2].assign(200, 3.6F);  // host.cpu_user
  EXPECT_NEAR(find_figure(processors_of(crowded), "a: CPU use of other programs").value, 65, 0.1);
  const std::string advice = advice_on_others(host_loads(crowded));
  EXPECT_THAT(advice, HasSubstr("on a"));
  EXPECT_EQ(processors_of(crowded).would_change, advice);
  EXPECT_EQ(step_time(crowded).would_change, advice);
  EXPECT_EQ(how_long(crowded, make_ledger(crowded)).would_change, advice);
  const RunData alone = run_on({{3.8}}, {0, 0.95, 0, 0.05});
  EXPECT_EQ(advice_on_others(host_loads(alone)), "");
  EXPECT_NE(step_time(alone).would_change, "");
  EXPECT_NE(advice_on_others(host_loads(run_on({{3.3, 0.15}}, {0, 0.95, 0, 0.05}))), "") << "a hypervisor";
}

TEST(Processors, WithoutSamplesItCannotTell) { EXPECT_EQ(processors_of(RunData()).finding, Grade::kCannotTell); }

RunData run_over(const MadeNetwork& network) {
  MadeRun made(network.workers, 2);
  made.start(0);
  const std::vector<ExchangeTrace> traces = made_exchange(network, 40);
  for (int64_t step = 1; step <= 200; ++step) {
    made.step(step, [&](int) { return MadeStep{0, network.compute, 0.4, 0.05, 51000000}; });
  }
  made.end("finished");
  made.data().exchange = traces;
  made.data().newest_checkpoint.emplace().parameters = 25500000;  // 2 x 1/4 x 4 bytes of them are 51 MB
  return made.take();
}

TEST(Network, ABottleneckIsCalledOne) {
  const Verdict verdict = network(run_over({}));
  EXPECT_EQ(verdict.finding, Grade::kBad);
  EXPECT_THAT(verdict.sentence, HasSubstr("4 workers sent 51 MB"));
  EXPECT_EQ(find_figure(verdict, "sent by a worker in a step, counted").value, 51);
  EXPECT_NEAR(find_figure(verdict, "rate of a worker, sending").value, 100, 2);  // MB/s
  EXPECT_LT(find_figure(verdict, "error of the replay").value, 2);
}

TEST(Network, AFastOneIsNot) {
  const Verdict verdict = network(run_over({.bytes_per_second = 3e9}));
  EXPECT_EQ(verdict.finding, Grade::kGood);
}

TEST(Network, AReplayThatMissesIsNotBelieved) {
  RunData run = run_over({});
  NormalNumbers noise(3);
  for (ExchangeTrace& trace : run.exchange) trace.buckets.back().end += 0.5 * std::abs(noise.next());
  EXPECT_EQ(network(run).finding, Grade::kCannotTell);
  EXPECT_GT(find_figure(network(run), "error of the replay").value, 5);
}

TEST(Network, WithoutTracesTheWaitIsABound) {
  RunData run = run_over({});
  run.exchange.clear();
  EXPECT_EQ(network(run).finding, Grade::kCannotTell);
  RunData quick = run_on({{}, {}}, {0, 0.9, 0.02, 0.05, 1000});
  EXPECT_EQ(network(quick).finding, Grade::kGood);
  EXPECT_NEAR(find_figure(network(quick), "step waiting for the exchange").value, 2.1, 0.05);
  EXPECT_NEAR(find_figure(network(quick), "sent by the interfaces of a in a step, all traffic").value, 5 * 199 / 200.0,
              0.01);
}

TEST(Network, WorkersOfOneHostHaveNone) {
  const RunData run = run_on({{}, {}}, {0, 0.9, 0.02, 0.05, 0});
  EXPECT_THAT(network(run).sentence, HasSubstr("2 workers are on one host"));
  EXPECT_THAT(traffic(run).sentence, HasSubstr("on one host"));
}

// Every 10th step exchanges 51 MB and waits 0.2 s: most steps send nothing, and yet it is not a run on one host.
TEST(Network, RoundsOfLocalStepsCountOnAverage) {
  MadeRun made(4, 2);
  made.start(0);
  for (int64_t step = 1; step <= 200; ++step) {
    made.step(step, [&](int) {
      return step % 10 == 0 ? MadeStep{0, 0.9, 0.2, 0.05, 51000000} : MadeStep{0, 0.9, 0, 0.05, 0};
    });
  }
  made.end("finished");
  made.data().config->workers.sync_every = 10;
  made.data().newest_checkpoint.emplace().parameters = 25500000;
  const RunData run = made.take();
  const Verdict verdict = network(run);
  EXPECT_EQ(verdict.finding, Grade::kGood);
  EXPECT_NEAR(find_figure(verdict, "sent by a worker in a step, counted").value, 5.1, 1e-9);
  EXPECT_NEAR(find_figure(verdict, "step waiting for the exchange").value, 100 * 0.02 / 0.97, 0.01);
  EXPECT_THAT(verdict.sentence, AllOf(HasSubstr("every 10 steps"), HasSubstr("as expected")));
  const Verdict related = traffic(run);
  EXPECT_NEAR(find_figure(related, "sent by a worker in an exchange").value, 51, 1e-9);
  EXPECT_NEAR(find_figure(related, "median step with an exchange").value, 1.15, 1e-6);
  EXPECT_NEAR(find_figure(related, "median step without").value, 0.95, 1e-6);
}

// A sharded optimiser sends gradients as workers.wire says, and weights in fp32.
TEST(Network, BytesOfAShardedOptimiser) {
  MadeRun made(4, 2);
  made.start(0);
  for (int64_t step = 1; step <= 100; ++step) {
    made.step(step, [](int) { return MadeStep{0, 0.9, 0.02, 0.08, 38250000}; });
  }
  made.end("finished");
  made.data().config->workers.wire = Wire::kBf16;
  made.data().config->workers.shard_optimizer = true;
  made.data().newest_checkpoint.emplace().parameters = 25500000;
  RunData run = made.take();
  EXPECT_THAT(network(run).sentence, HasSubstr("as expected"));
  run.config->workers.shard_optimizer = false;
  EXPECT_THAT(network(run).sentence, HasSubstr("38 MB per step (26 MB expected"));
}

TEST(Network, AdviceOnTheWireIsForBytesThatGoThroughHosts) {
  MadeRun made(4, 2);
  RunData run = made.take();
  EXPECT_EQ(wire_advice(run), "workers.wire: bf16 saves 50 % of the bytes, int8 75 %");
  run.config->workers.wire = Wire::kInt8;
  EXPECT_EQ(wire_advice(run), "");
  run.config->workers.wire = Wire::kFp32;
  run.config->workers.transport = Exchange::kNccl;
  EXPECT_EQ(wire_advice(run), "");
  run.config->workers.transport = Exchange::kAuto;
  run.config->device = DeviceChoice::kCuda;
  EXPECT_EQ(wire_advice(run), "");
  MadeRun one_host(4, 4);
  EXPECT_EQ(wire_advice(one_host.data()), "");
  EXPECT_TRUE(is_on_one_host(one_host.data()));
  one_host.data().hosts.front().on_record = false;
  EXPECT_FALSE(is_on_one_host(one_host.data()));
}

// Workers take turns at sending for their host; where there are fewer chunks than turns, some send nothing.
TEST(Network, BytesAreTheMeanOfAllWorkers) {
  for (const auto& [bytes, mean] : {std::pair(std::vector<uint64_t>{55200, 0, 55200, 0}, 0.0276),
                                    {std::vector<uint64_t>{943000, 739000, 944000, 739000}, 0.84125}}) {
    MadeRun made(4, 2);
    made.start(0);
    for (int64_t step = 1; step <= 100; ++step) {
      made.step(step, [&, sent = &bytes](int rank) {
        return MadeStep{0, 0.9, 0.02, 0.08, sent->at(static_cast<size_t>(rank))};
      });
    }
    made.end("finished");
    made.data().newest_checkpoint.emplace().parameters = 13800;  // 2 x 1/4 x 4 bytes of them are 27.6 kB
    RunData run = made.take();
    EXPECT_NEAR(find_figure(network(run), "sent by a worker in a step, counted").value, mean, 1e-9);
    EXPECT_NEAR(find_figure(network(run), "rate of a worker over the whole step").value, 8 * mean, 1e-6);
    EXPECT_NEAR(find_figure(traffic(run), "sent by a worker in a step").value, mean, 1e-9);
    EXPECT_EQ(network(run).sentence.find("as expected") != std::string::npos, mean < 0.1);

    run.ranks.pop_back();  // not known of all: worker 0 is named
    const double own = static_cast<double>(bytes[0]) / 1e6;
    EXPECT_NEAR(find_figure(network(run), "sent by worker 0 in a step, counted").value, own, 1e-9);
    EXPECT_NEAR(find_figure(traffic(run), "sent by worker 0 in a step").value, own, 1e-9);
    EXPECT_THAT(network(run).sentence, Not(HasSubstr("expected")));

    run.ranks.clear();  // the log has worker 0 alone
    for (const int64_t step : {50, 100}) {
      MadeRun::row(run.training, step,
                   {{"seconds_per_step", 1}, {"exchange_bytes_sent_per_step", static_cast<double>(bytes[0])}});
    }
    EXPECT_NEAR(find_figure(network(run), "sent by worker 0 in a step, counted").value, own, 1e-9);
    EXPECT_NEAR(find_figure(traffic(run), "sent by worker 0 in a step").value, own, 1e-9);
  }
}

// 25 steps in rounds of 10 exchange at steps 10, 20 and 25; 25 in rounds of 1,000 once.
TEST(Network, TheLastRoundEndsWithTheRun) {
  for (const auto& [interval, exchanges] : {std::pair<int64_t, int>{10, 3}, {1000, 1}}) {
    MadeRun made(4, 2);
    made.start(0);
    for (int64_t step = 1; step <= 25; ++step) {
      const bool meets = step == 25 || step % interval == 0;
      made.step(step, [&](int) { return MadeStep{0, 0.9, 0, 0.05, meets ? uint64_t{51000000} : 0}; });
    }
    made.end("finished");
    made.data().config->workers.sync_every = interval;
    made.data().newest_checkpoint.emplace().parameters = 25500000;
    const Verdict verdict = network(made.take());
    const double mean = 51.0 * exchanges / 25;
    EXPECT_NEAR(find_figure(verdict, "sent by a worker in a step, counted").value, mean, 1e-9);
    EXPECT_NEAR(
        find_figure(verdict, "the same, expected: of h hosts with n workers 2 (h-1)/n x parameters x bytes of each")
            .value,
        mean, 1e-9);
  }
}

TEST(Network, OneWorkerHasNone) { EXPECT_EQ(network(run_on({{}}, {})).finding, Grade::kGood); }

// Steps of about a second: tokens vary, computing follows them with noise.
RunData varying(int workers, double slow_factor, double drift = 0) {
  MadeRun made(workers);
  made.start(0);
  NormalNumbers noise(8);
  for (int64_t step = 1; step <= 1000; ++step) {
    const double tokens = 1000 + 100 * noise.next();
    const double compute = (0.0008 * tokens + 0.01 * noise.next()) * (1 + drift * static_cast<double>(step) / 1000);
    const double exposed = 0.1 + 0.01 * noise.next();
    made.step(step, [&](int rank) {
      return MadeStep{0,
                      compute * (rank == 1 ? slow_factor : 1),
                      exposed,
                      0.05,
                      20000000,
                      static_cast<uint32_t>(tokens),
                      step <= 9 ? uint32_t{kTuningBuckets} : 0};
    });
  }
  made.end("finished");
  return made.take();
}

TEST(StepTime, MedianWithItsInterval) {
  const Verdict verdict = step_time(varying(2, 1));
  const Figure median = find_figure(verdict, "median");
  EXPECT_NEAR(median.value, 0.95, 0.01);
  EXPECT_LT(*median.low, *median.high);
  EXPECT_TRUE((Bounds{*median.low, *median.high}.contains(median.value)));
  EXPECT_EQ(find_figure(verdict, "steps looked at").value, 991);  // without the tuning of buckets
  EXPECT_EQ(verdict.finding, Grade::kNeutral);
  EXPECT_THAT(verdict.sentence, Not(HasSubstr("slower")));
}

TEST(StepTime, AWorkerThatIsSlowerIsNamed) {
  const Verdict verdict = step_time(varying(4, 1.2));
  EXPECT_EQ(verdict.finding, Grade::kBad);
  EXPECT_THAT(verdict.sentence, AllOf(HasSubstr("Worker 1 on b"), HasSubstr("20 %")));
}

TEST(StepTime, GettingSlowerIsATrend) {
  const Verdict verdict = step_time(varying(2, 1, 0.3));
  EXPECT_GT(find_figure(verdict, "change from start to end").value, 10);
  EXPECT_EQ(verdict.finding, Grade::kBad);
}

TEST(StepTime, FromTheLogWhereThereIsNoMore) {
  RunData run;
  EXPECT_EQ(step_time(run).finding, Grade::kCannotTell);
  for (int64_t step = 100; step <= 500; step += 100) MadeRun::row(run.training, step, {{"seconds_per_step", 1.6}});
  EXPECT_THAT(step_time(run).sentence, AllOf(HasSubstr("1.60 s"), HasSubstr("5 logged")));
}

// Step = computing of the slowest + exchange + 0.05: a second more of each is a second more of the step.
TEST(Traffic, FindsTheMadeCoefficients) {
  const Verdict verdict = traffic(varying(2, 1));
  EXPECT_NEAR(find_figure(verdict, "step time per second: the slowest worker's computing").value, 1, 0.01);
  EXPECT_NEAR(find_figure(verdict, "step time per second: the wait for the exchange").value, 1, 0.01);
  EXPECT_NEAR(find_figure(verdict, "variation explained").value, 100, 0.1);
  EXPECT_NEAR(find_figure(verdict, "rate").value, 20 / 0.95, 0.3);
  EXPECT_EQ(find_figure(verdict, "sent by a worker in a step").value, 20);
  EXPECT_THAT(verdict.sentence, HasSubstr("the slowest worker's computing"));
}

TEST(Traffic, WithoutVariationItSaysSo) {
  EXPECT_THAT(traffic(run_on({{}, {}}, {0, 0.9, 0.1, 0.05, 1000})).sentence, HasSubstr("vary"));
  EXPECT_TRUE(traffic(run_on({{}}, {})).figures.empty()) << "one worker sends nothing";
}

TEST(Traffic, BandwidthMattersByReplay) {
  RunData slow = run_over({.bytes_per_second = 50e6}), fast = run_over({.bytes_per_second = 5e9});
  EXPECT_GT(find_figure(traffic(slow), "shorter step per 1 % of bandwidth").value, 0.4);
  EXPECT_LT(find_figure(traffic(fast), "shorter step per 1 % of bandwidth").value, 0.05);
}

}  // namespace
}  // namespace verbund
