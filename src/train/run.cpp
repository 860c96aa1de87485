#include "train/run.h"

#include <cmath>

#include "config/show.h"
#include "core/elapsed.h"
#include "model/gradient_order.h"
#include "train/device_exchange.h"

namespace verbund {
namespace {

VocabularySizes sizes_of(const DatasetManifest& manifest) {
  return {static_cast<int64_t>(manifest.source_vocabulary), static_cast<int64_t>(manifest.target_vocabulary)};
}

}  // namespace

Run::Run(const TrainRequest& wanted, Workers& all, int used_threads, Dataset opened, const Config& settled,
         std::unique_ptr<Device> computing, std::unique_ptr<RunKeeper> kept)
    : request(wanted),
      workers(all),
      threads(used_threads),
      dataset(std::move(opened)),
      keeper(std::move(kept)),
      config(settled),
      config_yaml(show(config)),
      source(dataset.source_model()),
      target(dataset.target_model()),
      vocabularies(sizes_of(dataset.manifest())),
      device(std::move(computing)),
      devices(connect_devices(workers, *device, config.workers)),
      model(make_fused_transformer(*device, config.model, vocabularies)),
      reducer(workers, model->gradients(), config.workers, devices.get(),
              order_with_rows(config.model, model->table())),
      optimizer(make_optimizer(*device, config.optimizer, model->weights().size(), reducer.owned())),
      schedule(config.schedule, config.model.d_model),
      average(*device, config.average, model->weights().size()),
      scaler(make_loss_scaler(config.loss_scale)),
      parts{config, workers, *model, reducer, *optimizer, schedule, average, *scaler},
      guard(config.train.divergence_factor, std::log(static_cast<double>(vocabularies.target))),
      best(config.evaluate),
      plan(dataset.split("train"), config.batch, static_cast<uint64_t>(config.seed)) {
  const DatasetManifest& manifest = dataset.manifest();
  state.dataset = manifest.checksum();
  state.source_vocabulary = manifest.files.at(manifest.source_model).checksum;
  state.target_vocabulary = manifest.files.at(manifest.target_model).checksum;
  // Where a worker is lost, the others' GPUs wait for it in vain. Last of all: nobody takes it back if this throws.
  if (devices != nullptr) workers.watchdog().set_abort([this] { devices->abort(); });
}

// After a failure here, this GPU may be waiting for others that will never come, and memory that it works on cannot be
// released before it has ended.
Run::~Run() {
  workers.watchdog().set_abort({});
  if (devices != nullptr && std::uncaught_exceptions() > exceptions_) devices->abort();
}

bool Run::is_finished() const {
  const TrainConfig& train = config.train;
  if (is_benchmark()) return state.step - first_step >= request.benchmark_steps;
  if (!best.stop_reason().empty()) return true;
  if (train.max_steps > 0 && state.step >= train.max_steps) return true;
  return train.epochs > 0 && state.position.epoch >= static_cast<uint64_t>(train.epochs);
}

RunLength Run::length() const {
  return {planned_steps(), config.train.eval_every, config.checkpoint.save_every_steps, dev.has_value()};
}

// As many as the run will have, if it is not stopped early; epochs are taken to be of the same length.
int64_t Run::planned_steps() const {
  if (is_benchmark()) return request.benchmark_steps;
  const TrainConfig& train = config.train;
  const BatchPosition& at = state.position;
  const auto epochs = train.epochs - static_cast<int64_t>(at.epoch);
  if (train.epochs == 0 || epochs <= 0) return train.max_steps;
  const auto an_epoch = static_cast<int64_t>(plan.batches(at.epoch));
  const int64_t steps = state.step + epochs * an_epoch - static_cast<int64_t>(at.batch);
  return train.max_steps > 0 ? std::min(train.max_steps, steps) : steps;
}

double Run::seconds() const { return seconds_since(began); }

}  // namespace verbund
