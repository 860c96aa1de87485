// SPDX-License-Identifier: Apache-2.0
#include "train/run.h"

#include "alert/alert_watch.h"
#include "core/error.h"
#include "core/log.h"
#include "record/evaluation_file.h"
#include "record/history.h"
#include "record/metrics_writer.h"
#include "record/record_keeper.h"
#include "record/resource_sampler.h"
#include "record/step_recorder.h"
#include "tensorboard/tensorboard_writer.h"
#include "train/console_log.h"

namespace verbund {
namespace {

// Passes the messages of all workers to worker 0's RecordKeeper while it lives.
class RecordReceiver : public RunObserver {
 public:
  RecordReceiver(const Run& run, const RecordPost& post, HistoryWriter& history)
      : workers_(run.workers), keeper_(run.request.run, post, workers_.all(), history, run.config.train.timeline) {
    workers_.set_handler([this](int rank, std::span<const std::byte> message, uint64_t dropped_before) {
      keeper_.receive(rank, message, dropped_before);
    });
  }
  ~RecordReceiver() override { workers_.set_handler({}); }

  void end() override {
    workers_.set_handler({});
    keeper_.end();
  }

 private:
  Workers& workers_;
  RecordKeeper keeper_;
};

// The recorders of this worker, and the writers of worker 0.
void add_recorders(const Run& run, Observers& observers) {
  const RecordPost post = record_post(run.workers, static_cast<uint32_t>(run.start));
  observers.add(std::make_unique<StepRecorder>(post));
  observers.add(std::make_unique<ResourceSampler>(post));
  if (const StepWindow& window = run.config.train.timeline; !window.empty()) {
    observers.add(std::make_unique<TimelineRecorder>(window, post));
  }
  if (!run.workers.leads()) return;
  auto history = std::make_unique<HistoryWriter>(run.request.run, post);
  auto handler = std::make_unique<RecordReceiver>(run, post, *history);
  observers.add(std::move(history));
  observers.add(std::move(handler));
}

std::unique_ptr<RunObserver> alert_watch(const Run& run) {
  AlertWatch::Watched watched = {run.request.run, static_cast<uint32_t>(run.start), {}};
  if (run.config.train.record) {
    for (const Worker& worker : run.workers.all()) watched.workers.push_back(worker.name());
  }
  return std::make_unique<AlertWatch>(*run.request.alerts, std::move(watched));
}

}  // namespace

std::unique_ptr<Observers> make_observers(const Run& run) {
  auto observers = std::make_unique<Observers>();
  const std::filesystem::path& folder = run.request.run;
  if (run.workers.leads()) {
    observers->add(std::make_unique<ConsoleLog>(run));
    observers->add(std::make_unique<MetricsWriter>(folder, run.start));
  }
  if (run.workers.leads() && run.request.alerts != nullptr && !run.is_benchmark()) observers->add(alert_watch(run));
  if (!run.config.train.record || run.is_benchmark()) return observers;
  try {
    add_recorders(run, *observers);
  } catch (const Error& error) {
    warn("the steps of this run are not recorded: {}", error.what());
  }
  if (run.workers.leads()) {
    observers->add(std::make_unique<EvaluationKeeper>(folder));
    observers->add(std::make_unique<TensorBoardWriter>(folder, run.config, run.workers.size()));
  }
  return observers;
}

}  // namespace verbund
