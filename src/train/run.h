// What a run consists of, on each of its workers: the data, the model and all that changes it, and how far it has come.
#pragma once

#include <chrono>
#include <exception>
#include <optional>

#include "core/interrupt.h"
#include "evaluate/test_set.h"
#include "train/run_keeper.h"
#include "train/run_state.h"
#include "train/time_left.h"
#include "train/trainer.h"

namespace verbund {

struct Run {
  // Builds the parts; see open_run for what comes before and after.
  Run(const TrainRequest& wanted, Workers& all, int used_threads, Dataset opened, const Config& settled,
      std::unique_ptr<Device> computing, std::unique_ptr<RunKeeper> kept);

  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  bool is_benchmark() const { return request.benchmark_steps > 0; }
  bool is_due(int64_t every) const { return !is_benchmark() && every > 0 && state.step % every == 0; }
  bool is_finished() const;
  RunLength length() const;

  BatchShare share() const { return {workers.rank(), workers.size(), config.train.micro_batch_tokens}; }
  double seconds() const;  // since it was opened

  const std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
  const TrainRequest& request;
  Workers& workers;
  const int threads;
  const Dataset dataset;
  const std::unique_ptr<RunKeeper> keeper;  // worker 0's keeps; the others' do nothing
  const Config config;
  const std::string config_yaml;
  const Subwords source, target;
  const VocabularySizes vocabularies;
  std::optional<TestSet> dev;
  std::optional<TestSet> train_probe;  // training pairs that are scored as dev pairs are

  const std::unique_ptr<Device> device;
  const std::unique_ptr<DeviceCommunicator> devices;  // null: the hosts exchange
  const std::unique_ptr<DecodableModel> model;
  GradientReducer reducer;
  const std::unique_ptr<Optimizer> optimizer;
  const Schedule schedule;
  WeightAverage average;
  const std::unique_ptr<LossScaler> scaler;
  StepParts parts;
  DivergenceGuard guard;
  BestTracker best;
  const BatchPlan plan;

  RunState state;
  int64_t start = 0;  // which of the run's starts this is, from 0
  bool resumed = false;
  int64_t first_step = 0;                // of this part of the run
  std::string verified;                  // how the dataset was, for the log
  std::vector<std::string> differences;  // from the run that goes on, if that is forced
  // None of several leaves alone: a signal waits until a step has told the others.
  std::optional<DeferInterrupts> together;

 private:
  int64_t planned_steps() const;

  const int exceptions_ = std::uncaught_exceptions();  // under way when it was made
};

// By all workers together: they agree on what is to be done, settle what the configuration leaves open, and take over
// the state of an earlier part of the run, or begin anew.
std::unique_ptr<Run> open_run(const TrainRequest& request, Workers& workers);

}  // namespace verbund
