// SPDX-License-Identifier: Apache-2.0
#include "train/train_state.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "checkpoint/safetensors.h"
#include "core/error.h"
#include "core/json.h"
#include "core/json_file.h"
#include "core/log.h"
#include "core/wall_clock.h"
#include "model/gradient_order.h"

namespace verbund {
namespace {

constexpr const char* kOptimizerFits = "optimizer_fits";  // sent to all workers, not saved
constexpr const char* kResidualsKey = "residuals";        // their layout
constexpr const char* kOuterKey = "outer";                // of the outer step

std::vector<TensorView> named_views(const ParameterTable& table, std::span<const float> values) {
  std::vector<TensorView> views;
  for (const Parameter& p : table.all()) {
    views.push_back(
        view_tensor(p.name, p.shape, values.subspan(static_cast<size_t>(p.offset), static_cast<size_t>(p.size))));
  }
  return views;
}

// The best exchange settings of these workers, if they were found.
Json exchange_to_json(const TrainState& state) {
  const ExchangeSettings found = state.reducer.found_settings().value_or(ExchangeSettings{});
  return {{"layout", state.workers.layout()}, {"bucket", found.bucket}, {"in_flight", found.in_flight}};
}

// Collective.
Json to_json(const TrainState& state) {
  Json json = {{"step", state.step},
               {"epoch", state.position.epoch},
               {"batch", state.position.batch},
               {kMixtureKey, state.mixture.state(state.drawn)},
               {"training_seconds", state.training_seconds},
               {"target_tokens", state.target_tokens},
               {"roll_backs", state.roll_backs},
               {"rate_factor", state.rate_factor},
               {"updates", state.optimizer->updates()},
               {"average_seen", state.average.weights_seen()},
               {"guard_mean", state.guard.mean()},
               {"loss_scale", state.scaler->state()},
               {"exchange", exchange_to_json(state)},
               {"best", state.best.state()},
               {"last_evaluation", state.last_evaluation},
               {"dataset", state.dataset},
               {kOriginKey,
                {{"run", state.origin.run},
                 {"folder", state.origin.folder},
                 {"program", state.origin.program},
                 {"time", utc_time()}}},
               {kVocabulariesKey, {{"source", state.source_vocabulary}, {"target", state.target_vocabulary}}}};
  if (const std::string layout = residual_layout(state); !layout.empty()) json[kResidualsKey] = layout;
  if (Json outer = outer_to_json(state); !outer.is_null()) json[kOuterKey] = std::move(outer);
  return json;
}

void from_json(const Json& json, TrainState& state) {
  state.step = json.at("step");
  state.position = state.mixture.restore(json.value(kMixtureKey, Json()), {json.at("epoch"), json.at("batch")});
  state.training_seconds = json.at("training_seconds");
  state.target_tokens = json.at("target_tokens");
  state.roll_backs = json.at("roll_backs");
  state.last_evaluation = json.value("last_evaluation", int64_t{-1});
  state.rate_factor = json.at("rate_factor");
  state.optimizer->set_updates(json.at("updates"));
  state.average.set_weights_seen(json.at("average_seen"));
  state.scaler->restore(json.at("loss_scale").get<LossScaler::State>());
  state.guard.set_mean(json.at("guard_mean"));
  const Json exchange = json.value("exchange", Json::object());
  if (exchange.value("layout", "") == state.workers.layout()) {
    state.reducer.use_found_settings(
        {exchange.value("bucket", size_t{0}), exchange.value("in_flight", kUsualInFlight)});
  }
  state.best.restore(json.value("best", Json::object()));
}

std::string join(const std::set<std::string>& names) {
  return names.empty() ? "nothing" : fmt::format("{}", fmt::join(names, ", "));
}

std::set<std::string> saved_buffers(const Checkpoint& checkpoint) {
  std::set<std::string> names;
  if (checkpoint.optimizer() == nullptr) return names;
  for (const TensorView& tensor : checkpoint.optimizer()->tensors()) names.insert(tensor.name);
  return names;
}

std::set<std::string> needed_buffers(const TrainState& state) {
  std::set<std::string> names;
  for (const OptimizerState& buffer : state.optimizer->state()) names.insert(buffer.name);
  return names;
}

LossScaler::State saved_scale(const Checkpoint& checkpoint) {
  return checkpoint.use_state([](const Json& saved) { return saved.at("loss_scale").get<LossScaler::State>(); });
}

std::set<std::string> names_of(const LossScaler::State& state) {
  std::set<std::string> names;
  for (const auto& [name, value] : state) names.insert(name);
  return names;
}

// The values of a buffer in host memory. Worker 0 may get a copy, which `collected` holds; the others need none.
std::span<const float> on_host(const Buffer& buffer, bool leads, CollectedState& collected) {
  if (buffer.device().is_host()) return buffer.host();
  if (!leads) return {};
  collected.emplace_back(buffer.size());
  buffer.download(collected.back());
  return collected.back();
}

}  // namespace

void restore_buffer(const TensorView* saved, const OptimizerState& buffer, TrainState& state) {
  const size_t size = state.model->weights().size();
  if (!state.reducer.is_sharded()) {
    if (saved != nullptr) {
      change_on_host(buffer.values, [&](std::span<float> values) { copy_tensor(*saved, values); });
    }
    return broadcast(state.workers, buffer.values);
  }
  std::vector<float> whole(saved != nullptr ? size : 0);
  if (saved != nullptr) copy_tensor(*saved, std::span<float>(whole));
  change_on_host(buffer.values,
                 [&](std::span<float> values) { state.workers.comm().scatter_shards(whole, values, size); });
}

TrainState::TrainState(const Config& settled, Workers& all, Device& device, DeviceCommunicator* devices,
                       VocabularySizes vocabularies, MixtureProgress start)
    : config(settled),
      workers(all),
      model(make_fused_transformer(device, config.model, vocabularies)),
      outer(config.workers.has_rounds() ? std::make_unique<OuterStep>(model->weights().size(), config.workers)
                                        : nullptr),
      reducer(workers, outer ? outer->changes() : model->gradients(), config.workers, devices,
              outer ? order_without_rows(model->weights().size()) : order_with_rows(config.model, model->table())),
      optimizer(make_optimizer(device, config.optimizer, model->weights().size(), reducer.owned())),
      schedule(config.schedule, config.model.d_model),
      average(device, config.average, model->weights().size()),
      scaler(make_loss_scaler(config.loss_scale)),
      guard(config.train.divergence_factor, std::log(static_cast<double>(vocabularies.target))),
      best(config.evaluate),
      mixture(std::move(start)) {}

void broadcast(Workers& workers, Buffer& buffer) {
  if (workers.size() > 1) change_on_host(buffer, [&](std::span<float> values) { workers.comm().broadcast(values); });
}

CheckpointSnapshot take_snapshot(const TrainState& state, const std::string& config_yaml, CollectedState& collected) {
  CheckpointSnapshot snapshot;
  snapshot.step = state.step;
  const bool leads = state.workers.leads();
  const size_t size = state.model->weights().size();
  const auto views = [&](const Buffer& buffer) -> std::vector<TensorView> {
    const std::span<const float> values = on_host(buffer, leads, collected);
    return values.empty() ? std::vector<TensorView>() : named_views(state.model->table(), values);
  };
  snapshot.weights = views(state.model->weights().values());
  for (const OptimizerState& buffer : state.optimizer->state()) {
    std::span<const float> whole;
    if (state.reducer.is_sharded()) {
      const HostCopy own(buffer.values);
      collected.emplace_back(leads ? size : 0);
      state.workers.comm().gather_shards(own.values(), collected.back(), size);
      whole = collected.back();
    } else {
      whole = on_host(buffer.values, leads, collected);
    }
    snapshot.optimizer.push_back(view_tensor(buffer.name, {static_cast<int64_t>(whole.size())}, whole));
  }
  if (state.average.started()) snapshot.average = views(state.average.values());
  add_residuals(state, snapshot, collected);
  add_outer(state, snapshot, collected);
  snapshot.state_json = dump_json(to_json(state), 2) + "\n";
  snapshot.config_yaml = config_yaml;
  return snapshot;
}

std::vector<std::string> parts_to_reset(const Checkpoint& checkpoint, const TrainState& state) {
  std::vector<std::string> parts;
  const auto compare = [&](const char* what, const std::set<std::string>& saved, const std::set<std::string>& needed) {
    if (saved == needed) return;
    parts.push_back(fmt::format("{} was {}, is now {}: it is reset", what, join(saved), join(needed)));
  };
  compare("the optimiser's state", saved_buffers(checkpoint), needed_buffers(state));
  compare("the loss scale's state", names_of(saved_scale(checkpoint)), names_of(state.scaler->state()));
  return parts;
}

void restore(const Checkpoint* checkpoint, TrainState& state) {
  Json json;
  if (checkpoint != nullptr) {
    json = checkpoint->use_state([](Json saved) { return saved; });
    load_weights(checkpoint->weights(), state.model->table(), state.model->weights().write());
    const bool averaged = state.average.enabled() && checkpoint->average() != nullptr;
    if (averaged) load_weights(*checkpoint->average(), state.model->table(), state.average.values());
    if (!averaged) json["average_seen"] = 0;
    json[kOptimizerFits] = saved_buffers(*checkpoint) == needed_buffers(state);
    if (!json[kOptimizerFits]) json["updates"] = 0;
    const bool same_scale = state.scaler->fits(saved_scale(*checkpoint));
    if (!same_scale) json["loss_scale"] = state.scaler->state();
    if (checkpoint->outer() == nullptr) json.erase(kOuterKey);
    // The unit of residuals is the loss scale, or the change of weights in a round.
    const bool same_unit = same_scale && json.contains(kOuterKey) == (state.outer != nullptr);
    if (!same_unit || checkpoint->exchange() == nullptr) json.erase(kResidualsKey);
  }
  json = parse_json(state.workers.comm().broadcast(dump_json(json)));
  try {
    from_json(json, state);
  } catch (const Json::exception& error) {
    fail("the checkpoint's state.json is damaged: {}. Use another checkpoint.", error.what());
  }
  broadcast(state.workers, state.model->weights().write());
  for (const OptimizerState& buffer : state.optimizer->state()) {
    if (json.at(kOptimizerFits)) {
      restore_buffer(checkpoint != nullptr ? &checkpoint->optimizer()->at(buffer.name) : nullptr, buffer, state);
    } else {
      buffer.values.zero();
    }
  }
  if (state.average.started()) broadcast(state.workers, state.average.values());
  restore_residuals(checkpoint, json.value(kResidualsKey, ""), state);
  restore_outer(checkpoint, json.value(kOuterKey, Json()), json.at(kOptimizerFits), state);
}

}  // namespace verbund
