// SPDX-License-Identifier: Apache-2.0
// Run is a training run on one of its workers: the request, the dataset, the device, the run folder and the state of
// training.
#pragma once

#include <chrono>
#include <exception>
#include <memory>
#include <optional>

#include "core/interrupt.h"
#include "evaluate/extra_dev_sets.h"
#include "mixture/prefetch.h"
#include "record/run_observer.h"
#include "train/run_keeper.h"
#include "train/run_times.h"
#include "train/train_state.h"
#include "train/trainer.h"

namespace verbund {

struct Run {
  // Builds the parts; open_run does the rest.
  Run(const TrainRequest& wanted, Workers& all, int used_threads, std::vector<Dataset> opened, const Config& settled,
      std::unique_ptr<Device> computing, std::unique_ptr<RunKeeper> kept);

  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  bool is_benchmark() const { return request.benchmark_steps > 0; }
  // The workers have the same weights: after every step, or where a round of local steps ends.
  bool is_meeting() const { return state.step % config.workers.sync_every == 0 || is_finished(); }
  int64_t last_meeting() const;  // the step of the meeting before this one
  // True at a meeting if a step since the previous one is a multiple of this.
  bool is_due(int64_t every) const;
  bool is_finished() const;
  RunLength length() const;

  BatchShare share() const { return {workers.rank(), workers.size(), config.train.micro_batch_tokens}; }
  // The batches of the current stage of the mixture.
  const BatchPlan& plan() const { return *plan_; }
  void open_stage();  // makes the plan, after the state was set or restored
  void enter_next_stage();
  double seconds() const;  // since the run was opened

  const std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
  const TrainRequest& request;
  Workers& workers;
  const int threads;
  const std::vector<Dataset> datasets;
  const Dataset& dataset = datasets.front();  // with the dev pairs and the subword model of all
  const std::unique_ptr<RunKeeper> keeper;    // those of other workers than 0 do nothing
  const Config config;
  const std::string config_yaml;
  const Subwords source, target;
  const VocabularySizes vocabularies;
  std::optional<TestSet> dev;          // decides
  std::vector<ExtraDevSet> extra_dev;  // evaluated with it
  std::optional<TestSet> train_probe;  // training pairs whose loss is computed like that of dev pairs

  const std::unique_ptr<Device> device;
  const std::unique_ptr<DeviceCommunicator> devices;  // exchanges gradients; null: the hosts do
  const TrainingSet training;
  TrainState state;

  int64_t start = 0;  // number of this start of the run, from 0
  bool resumed = false;
  int64_t first_step = 0;                // of this part of the run
  std::string verified;                  // the verification of the dataset, for the log
  std::vector<std::string> differences;  // from the resumed run, if that was forced
  // With several workers, a signal waits until a step has told the others.
  std::optional<DeferInterrupts> together;

 private:
  int64_t planned_steps() const;
  double part_of_epoch() const;  // that is done of the current one

  std::unique_ptr<BatchPlan> plan_;

  const int exceptions_ = std::uncaught_exceptions();  // in flight when the run was opened
};

// Collective: the workers agree on the request, settle automatic settings, and restore the state of an earlier part of
// the run or initialise a new one.
std::unique_ptr<Run> open_run(const TrainRequest& request, Workers& workers);

// The observers of this worker. The run must outlive them.
std::unique_ptr<Observers> make_observers(const Run& run);

}  // namespace verbund
