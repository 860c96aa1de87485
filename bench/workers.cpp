// SPDX-License-Identifier: Apache-2.0
// One worker of a training run on random sentences, the same number of tokens for each: how many
// tokens per second do all of them train on, and how much of their exchange is hidden? Verifies
// that the exchanged gradient is the sum of what the workers had, that all keep the same weights,
// and that the loss falls. bench/workers.py starts it as one worker and as many, and compares.
//
//   mpirun -n 2 bench_workers MODEL STEPS THREADS [fp32|bf16|fp16|int8] [sharded]
#include <omp.h>

#include <chrono>
#include <cmath>
#include <iostream>

#include "bench/shapes.h"
#include "collectives/agreement.h"
#include "core/json.h"
#include "core/process.h"
#include "device/cpu_device.h"
#include "train/step.h"

using namespace verbund;

namespace {

constexpr int kWarmUp = 2;
constexpr int64_t kBucketKb = 8192;
constexpr size_t kEvery = 4999;  // values: those are compared

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// The gradient after an exchange against the sum of all workers' own, at some thousand places:
// the largest difference, in parts of the largest sum.
double exchange_error(TrainState& state, const Batch& batch) {
  const std::span<float> gradients = state.model->gradients().host();
  const Pass pass = {1, 0, true};
  std::fill(gradients.begin(), gradients.end(), 0.0f);
  state.model->accumulate(batch, pass);
  std::vector<double> expected;
  for (size_t i = 0; i < gradients.size(); i += kEvery) expected.push_back(gradients[i]);
  state.workers.comm().sum(expected);

  std::fill(gradients.begin(), gradients.end(), 0.0f);
  state.reducer.begin();
  state.model->accumulate(batch, pass, state.reducer.listener(true));
  state.reducer.finish();
  double largest = 0, worst = 0;
  for (const double value : expected) largest = std::max(largest, std::abs(value));
  for (const Interval interval : state.reducer.owned()) {
    for (size_t i = (interval.begin + kEvery - 1) / kEvery * kEvery; i < interval.end; i += kEvery) {
      worst = std::max(worst, std::abs(gradients[i] - expected[i / kEvery]));
    }
  }
  return state.workers.comm().max(worst / largest);
}

void measure(const Shape& shape, const Config& config, int steps, int threads, Workers& workers) {
  CpuDevice device;
  TrainState state(config, workers, device, nullptr, shape.vocabularies);
  state.model->table().initialize(1, state.model->weights().write().host());

  const Batch batch = make_batch(shape, static_cast<uint64_t>(workers.rank()));
  const auto tokens = static_cast<double>(batch.target_tokens()) * workers.size();
  const double error = exchange_error(state, batch);
  WorkerBatch share;
  share.fill(batch, static_cast<uint64_t>(tokens));
  double first = 0, last = 0;
  std::vector<double> seconds;
  ReduceTimes exchange;
  for (int step = 0; step < kWarmUp + steps; ++step) {
    state.step = step;
    workers.comm().barrier();
    const double start = now();
    const StepResult result = train_step(state, share);
    if (step == 0) first = result.loss.smoothed / tokens;
    last = result.loss.smoothed / tokens;
    if (step < kWarmUp) continue;
    seconds.push_back(now() - start);
    exchange.busy += state.reducer.times().busy / steps;
    exchange.exposed += state.reducer.times().exposed / steps;
    exchange.bytes += state.reducer.times().bytes / static_cast<uint64_t>(steps);
  }
  check_weights(workers, state.model->weights().values(), steps);  // ends all if they differ
  std::sort(seconds.begin(), seconds.end());
  const double median = workers.comm().max(seconds[seconds.size() / 2]);
  const double memory = workers.comm().max(static_cast<double>(peak_memory()));
  if (workers.leads()) {
    std::cout << Json{{"workers", workers.size()},
                      {"threads", threads},
                      {"target_tokens", tokens},
                      {"seconds_per_step", median},
                      {"tokens_per_second", tokens / median},
                      {"exchange_seconds", exchange.busy},
                      {"exposed_seconds", exchange.exposed},
                      {"hidden_share", hidden_share(exchange.busy, exchange.exposed)},
                      {"bytes_sent", exchange.bytes},
                      {"gradient_bytes", state.model->gradients().host().size_bytes()},
                      {"memory", memory},
                      {"exchange_error", error},
                      {"first_loss", first},
                      {"last_loss", last}}
                     .dump()
              << std::endl;
  }
}

}  // namespace

int main(int argc, char** argv) {
  wait_briefly_for_threads(argv);
  keep_freed_memory();
  const Shape shape = shape_named(argc > 1 ? argv[1] : "base");
  const int steps = argc > 2 ? std::atoi(argv[2]) : 3;
  const int threads = argc > 3 ? std::atoi(argv[3]) : 1;
  omp_set_num_threads(threads);

  Config config;
  config.model = shape.model;
  config.optimizer.clip_norm = 1;
  config.schedule.policy = SchedulePolicy::kFixed;
  config.schedule.learning_rate = 3e-4;
  config.workers.bucket_kb = kBucketKb;
  for (int i = 4; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "bf16") config.workers.wire = Wire::kBf16;
    if (argument == "fp16") config.workers.wire = Wire::kFp16;
    if (argument == "int8") config.workers.wire = Wire::kInt8;
    if (argument == "sharded") config.workers.shard_optimizer = true;
  }

  with_workers([&](Workers& workers) { measure(shape, config, steps, threads, workers); });
  return 0;
}
