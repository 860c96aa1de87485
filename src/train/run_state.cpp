#include "train/run_state.h"

#include <nlohmann/json.hpp>

#include "checkpoint/safetensors.h"
#include "core/error.h"
#include "core/log.h"
#include "decode/trained_model.h"

namespace verbund {
namespace {

using Json = nlohmann::ordered_json;

std::vector<TensorView> named_views(const ParameterTable& table, std::span<const float> values) {
  std::vector<TensorView> views;
  for (const Parameter& p : table.all()) {
    views.push_back(
        view_tensor(p.name, p.shape, values.subspan(static_cast<size_t>(p.offset), static_cast<size_t>(p.size))));
  }
  return views;
}

}  // namespace

CheckpointSnapshot take_snapshot(const StepParts& parts, const DivergenceGuard& guard, const BestTracker& best,
                                 const RunState& state, const std::string& config_yaml) {
  CheckpointSnapshot snapshot;
  snapshot.step = state.step;
  snapshot.weights = named_views(parts.model.table(), parts.model.values());
  for (const OptimizerState& buffer : parts.optimizer.state()) {
    snapshot.optimizer.push_back(
        view_tensor(buffer.name, {static_cast<int64_t>(buffer.values.size())}, std::span<const float>(buffer.values)));
  }
  if (parts.average.started()) snapshot.average = named_views(parts.model.table(), parts.average.values());
  const Json json = {{"step", state.step},
                     {"epoch", state.position.epoch},
                     {"batch", state.position.batch},
                     {"training_seconds", state.training_seconds},
                     {"target_tokens", state.target_tokens},
                     {"roll_backs", state.roll_backs},
                     {"rate_factor", parts.rate_factor},
                     {"updates", parts.optimizer.updates()},
                     {"average_seen", parts.average.weights_seen()},
                     {"guard_mean", guard.mean()},
                     {"loss_scale", parts.scaler.state()},
                     {"best", best.state()},
                     {"last_evaluation", state.last_evaluation},
                     {"dataset", state.dataset}};
  snapshot.state_json = json.dump(2) + "\n";
  snapshot.config_yaml = config_yaml;
  return snapshot;
}

void restore(const Checkpoint& checkpoint, StepParts& parts, DivergenceGuard& guard, BestTracker& best,
             RunState& state) {
  load_weights(checkpoint.weights(), parts.model.table(), parts.model.values());
  for (const OptimizerState& buffer : parts.optimizer.state()) {
    if (checkpoint.optimizer() == nullptr) fail("{} has no optimiser state", checkpoint.folder().string());
    copy_tensor(checkpoint.optimizer()->at(buffer.name), buffer.values);
  }
  if (parts.average.enabled() && checkpoint.average() != nullptr) {
    load_weights(*checkpoint.average(), parts.model.table(), parts.average.values());
  }
  const Json json = Json::parse(checkpoint.state_json());
  state.step = json.at("step");
  state.position = {json.at("epoch"), json.at("batch")};
  state.training_seconds = json.at("training_seconds");
  state.target_tokens = json.at("target_tokens");
  state.roll_backs = json.at("roll_backs");
  parts.rate_factor = json.at("rate_factor");
  parts.optimizer.set_updates(json.at("updates"));
  const bool averaged = parts.average.enabled() && checkpoint.average() != nullptr;
  parts.average.set_weights_seen(averaged ? json.at("average_seen").get<int64_t>() : 0);
  guard.set_mean(json.at("guard_mean"));
  best.restore(json.value("best", Json::object()));
  state.last_evaluation = json.value("last_evaluation", int64_t{-1});
  parts.scaler.restore(json.at("loss_scale").get<LossScaler::State>());
}

void start_from(const std::string& path, TranslationModel& model) {
  const fs::path file = fs::is_directory(path) ? fs::path(path) / "weights.safetensors" : fs::path(path);
  const SafetensorsFile weights(file);
  size_t taken = 0;
  for (const Parameter& p : model.table().all()) {
    const TensorView* tensor = weights.find(p.name);
    if (tensor == nullptr || tensor->shape != p.shape) continue;
    copy_tensor(*tensor, model.values().subspan(static_cast<size_t>(p.offset), static_cast<size_t>(p.size)));
    ++taken;
  }
  if (taken == 0) fail("{} has no parameter of the name and shape of one of this model", file.string());
  log("start from {}: {} of {} parameters taken over", file.string(), taken, model.table().all().size());
}

}  // namespace verbund
