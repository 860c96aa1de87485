// SPDX-License-Identifier: Apache-2.0
#include "train/run.h"

#include <algorithm>
#include <cmath>

#include "config/show.h"
#include "core/elapsed.h"
#include "train/run_opening.h"

namespace verbund {
namespace {

constexpr double kRounding = 1e-9;  // of sums of parts of epochs

VocabularySizes sizes_of(const DatasetManifest& manifest) {
  return {static_cast<int64_t>(manifest.source_vocabulary), static_cast<int64_t>(manifest.target_vocabulary)};
}

}  // namespace

Run::Run(const TrainRequest& wanted, Workers& all, int used_threads, std::vector<Dataset> opened, const Config& settled,
         std::unique_ptr<Device> computing, std::unique_ptr<RunKeeper> kept)
    : request(wanted),
      workers(all),
      threads(used_threads),
      datasets(std::move(opened)),
      keeper(std::move(kept)),
      config(settled),
      config_yaml(show(config)),
      source(dataset.source_model()),
      target(dataset.target_model()),
      vocabularies(sizes_of(dataset.manifest())),
      device(std::move(computing)),
      devices(connect_devices(workers, *device, config.workers)),
      training(training_set(datasets)),
      state(config, workers, *device, devices.get(), vocabularies,
            MixtureProgress(training, config.batch.max_length, config.mixture)) {
  open_stage();
  const DatasetManifest& manifest = dataset.manifest();
  state.dataset = checksum(datasets);
  state.source_vocabulary = manifest.files.at(manifest.source_model).checksum;
  state.target_vocabulary = manifest.files.at(manifest.target_model).checksum;
  // If a worker is lost, the GPUs of the others wait for it in vain. Set last: nothing resets it if this throws.
  if (devices != nullptr) workers.watchdog().set_abort([this] { devices->abort(); });
}

// After a failure here, this GPU may wait for others that will never come; its memory cannot be released before it
// stops waiting.
Run::~Run() {
  workers.watchdog().set_abort({});
  if (devices != nullptr && std::uncaught_exceptions() > exceptions_) devices->abort();
}

void Run::open_stage() {
  plan_ =
      std::make_unique<BatchPlan>(training, config.batch, static_cast<uint64_t>(config.seed), state.mixture.draws());
}

// A stage begins with an epoch of its own; what the old one has not drawn of the last epoch stays to be drawn.
void Run::enter_next_stage() {
  BatchPosition& at = state.position;
  PairCounts drawn = plan_->drawn(at);
  const double skipped = at.batch > 0 ? 1 - part_of_epoch() : 0;
  if (at.batch > 0) at = {at.epoch + 1, 0};
  state.mixture.enter_next(state.step, at.epoch, std::move(drawn), skipped);
  open_stage();
}

int64_t Run::last_meeting() const {
  const int64_t every = config.workers.sync_every;
  return (state.step - 1) / every * every;
}

bool Run::is_due(int64_t every) const {
  return !is_benchmark() && every > 0 && state.step > 0 && state.step / every > last_meeting() / every;
}

bool Run::is_finished() const {
  const TrainConfig& train = config.train;
  if (is_benchmark()) return state.step - first_step >= request.benchmark_steps;
  if (!state.best.stop_reason().empty() || state.mixture.is_over(state.step)) return true;
  if (train.max_steps > 0 && state.step >= train.max_steps) return true;
  if (train.epochs == 0 || state.position.epoch < static_cast<uint64_t>(train.epochs)) return false;
  const double skipped = state.mixture.skipped_epochs();
  return skipped == 0 || static_cast<double>(state.position.epoch) + part_of_epoch() >=
                             static_cast<double>(train.epochs) + skipped - kRounding;
}

double Run::part_of_epoch() const {
  const BatchPosition& at = state.position;
  return at.batch == 0 ? 0 : static_cast<double>(at.batch) / static_cast<double>(plan().batches(at.epoch));
}

RunLength Run::length() const {
  return {planned_steps(), config.train.eval_every, config.checkpoint.save_every_steps, dev.has_value()};
}

// The number of steps of the whole run without an early stop, if all epochs have the same length.
int64_t Run::planned_steps() const {
  if (is_benchmark()) return request.benchmark_steps;
  const TrainConfig& train = config.train;
  const BatchPosition& at = state.position;
  const double epochs =
      static_cast<double>(train.epochs - static_cast<int64_t>(at.epoch)) + state.mixture.skipped_epochs();
  if (train.epochs == 0 || epochs <= 0) return train.max_steps;
  const auto an_epoch = static_cast<double>(plan().batches(at.epoch));
  const auto batches = static_cast<int64_t>(std::ceil(epochs * an_epoch - kRounding));
  const int64_t steps = state.step + batches - static_cast<int64_t>(at.batch);
  return train.max_steps > 0 ? std::min(train.max_steps, steps) : steps;
}

double Run::seconds() const { return seconds_since(began); }

}  // namespace verbund
