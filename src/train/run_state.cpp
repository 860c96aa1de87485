#include "train/run_state.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "checkpoint/safetensors.h"
#include "core/error.h"
#include "core/json_file.h"
#include "core/log.h"
#include "core/wall_clock.h"
#include "train/residual_state.h"

namespace verbund {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kOptimizerFits = "optimizer_fits";  // told to all workers, not saved
constexpr const char* kResidualsKey = "residuals";        // the layout that they are for

std::vector<TensorView> named_views(const ParameterTable& table, std::span<const float> values) {
  std::vector<TensorView> views;
  for (const Parameter& p : table.all()) {
    views.push_back(
        view_tensor(p.name, p.shape, values.subspan(static_cast<size_t>(p.offset), static_cast<size_t>(p.size))));
  }
  return views;
}

// How these workers exchange best, if that was found.
Json exchange_to_json(const StepParts& parts) {
  const ExchangeSettings found = parts.reducer.found_settings().value_or(ExchangeSettings{});
  return {{"layout", parts.workers.layout()}, {"bucket", found.bucket}, {"in_flight", found.in_flight}};
}

Json to_json(const StepParts& parts, const DivergenceGuard& guard, const BestTracker& best, const RunState& state) {
  Json json = {{"step", state.step},
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
               {"exchange", exchange_to_json(parts)},
               {"best", best.state()},
               {"last_evaluation", state.last_evaluation},
               {"dataset", state.dataset},
               {kOriginKey,
                {{"run", state.origin.run},
                 {"folder", state.origin.folder},
                 {"program", state.origin.program},
                 {"time", utc_time()}}},
               {kVocabulariesKey, {{"source", state.source_vocabulary}, {"target", state.target_vocabulary}}}};
  if (const std::string layout = residual_layout(parts); !layout.empty()) json[kResidualsKey] = layout;
  return json;
}

void from_json(const Json& json, StepParts& parts, DivergenceGuard& guard, BestTracker& best, RunState& state) {
  state.step = json.at("step");
  state.position = {json.at("epoch"), json.at("batch")};
  state.training_seconds = json.at("training_seconds");
  state.target_tokens = json.at("target_tokens");
  state.roll_backs = json.at("roll_backs");
  state.last_evaluation = json.value("last_evaluation", int64_t{-1});
  parts.rate_factor = json.at("rate_factor");
  parts.optimizer.set_updates(json.at("updates"));
  parts.average.set_weights_seen(json.at("average_seen"));
  parts.scaler.restore(json.at("loss_scale").get<LossScaler::State>());
  guard.set_mean(json.at("guard_mean"));
  const Json exchange = json.value("exchange", Json::object());
  if (exchange.value("layout", "") == parts.workers.layout()) {
    parts.reducer.use_found_settings(
        {exchange.value("bucket", size_t{0}), exchange.value("in_flight", kUsualInFlight)});
  }
  best.restore(json.value("best", Json::object()));
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

std::set<std::string> needed_buffers(const StepParts& parts) {
  std::set<std::string> names;
  for (const OptimizerState& buffer : parts.optimizer.state()) names.insert(buffer.name);
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

// A buffer's values where the host can read them, which for worker 0 may be a copy that `collected` keeps; others need
// none.
std::span<const float> on_host(const Buffer& buffer, bool leads, CollectedState& collected) {
  if (buffer.device().is_host()) return buffer.host();
  if (!leads) return {};
  collected.emplace_back(buffer.size());
  buffer.download(collected.back());
  return collected.back();
}

// One buffer of the optimiser, of which each worker has its share or all.
void restore_buffer(const Checkpoint* checkpoint, const OptimizerState& buffer, StepParts& parts) {
  const size_t size = parts.model.weights().size();
  const TensorView* saved = checkpoint != nullptr ? &checkpoint->optimizer()->at(buffer.name) : nullptr;
  if (!parts.reducer.is_sharded()) {
    if (saved != nullptr) {
      change_on_host(buffer.values, [&](std::span<float> values) { copy_tensor(*saved, values); });
    }
    return broadcast(parts.workers, buffer.values);
  }
  std::vector<float> whole(saved != nullptr ? size : 0);
  if (saved != nullptr) copy_tensor(*saved, std::span<float>(whole));
  change_on_host(buffer.values,
                 [&](std::span<float> values) { parts.workers.comm().scatter_shards(whole, values, size); });
}

}  // namespace

void broadcast(Workers& workers, Buffer& buffer) {
  if (workers.size() > 1) change_on_host(buffer, [&](std::span<float> values) { workers.comm().broadcast(values); });
}

CheckpointSnapshot take_snapshot(const StepParts& parts, const DivergenceGuard& guard, const BestTracker& best,
                                 const RunState& state, const std::string& config_yaml, CollectedState& collected) {
  CheckpointSnapshot snapshot;
  snapshot.step = state.step;
  const bool leads = parts.workers.leads();
  const size_t size = parts.model.weights().size();
  const auto views = [&](const Buffer& buffer) -> std::vector<TensorView> {
    const std::span<const float> values = on_host(buffer, leads, collected);
    return values.empty() ? std::vector<TensorView>() : named_views(parts.model.table(), values);
  };
  snapshot.weights = views(parts.model.weights().values());
  for (const OptimizerState& buffer : parts.optimizer.state()) {
    std::span<const float> whole;
    if (parts.reducer.is_sharded()) {
      const HostCopy own(buffer.values);
      collected.emplace_back(leads ? size : 0);
      parts.workers.comm().gather_shards(own.values(), collected.back(), size);
      whole = collected.back();
    } else {
      whole = on_host(buffer.values, leads, collected);
    }
    snapshot.optimizer.push_back(view_tensor(buffer.name, {static_cast<int64_t>(whole.size())}, whole));
  }
  if (parts.average.started()) snapshot.average = views(parts.average.values());
  add_residuals(parts, snapshot, collected);
  snapshot.state_json = to_json(parts, guard, best, state).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  snapshot.config_yaml = config_yaml;
  return snapshot;
}

std::vector<std::string> what_starts_anew(const Checkpoint& checkpoint, const StepParts& parts) {
  std::vector<std::string> anew;
  const auto compare = [&](const char* what, const std::set<std::string>& saved, const std::set<std::string>& needed) {
    if (saved == needed) return;
    anew.push_back(fmt::format("{} was {}, is now {}: it starts anew", what, join(saved), join(needed)));
  };
  compare("the optimiser's state", saved_buffers(checkpoint), needed_buffers(parts));
  compare("the loss scale's state", names_of(saved_scale(checkpoint)), names_of(parts.scaler.state()));
  return anew;
}

void restore(const Checkpoint* checkpoint, StepParts& parts, DivergenceGuard& guard, BestTracker& best,
             RunState& state) {
  Json json;
  if (checkpoint != nullptr) {
    json = checkpoint->use_state([](Json saved) { return saved; });
    load_weights(checkpoint->weights(), parts.model.table(), parts.model.weights().write());
    const bool averaged = parts.average.enabled() && checkpoint->average() != nullptr;
    if (averaged) load_weights(*checkpoint->average(), parts.model.table(), parts.average.values());
    if (!averaged) json["average_seen"] = 0;
    json[kOptimizerFits] = saved_buffers(*checkpoint) == needed_buffers(parts);
    if (!json[kOptimizerFits]) json["updates"] = 0;
    const bool same_scale = parts.scaler.fits(saved_scale(*checkpoint));
    if (!same_scale) json["loss_scale"] = parts.scaler.state();
    if (!same_scale || checkpoint->exchange() == nullptr) json.erase(kResidualsKey);  // they have the scale's units
  }
  json = Json::parse(parts.workers.comm().broadcast(json.dump()));
  try {
    from_json(json, parts, guard, best, state);
  } catch (const Json::exception& error) {
    fail("the checkpoint's state.json is damaged: {}. Use another checkpoint.", error.what());
  }
  broadcast(parts.workers, parts.model.weights().write());
  for (const OptimizerState& buffer : parts.optimizer.state()) {
    if (json.at(kOptimizerFits)) {
      restore_buffer(checkpoint, buffer, parts);
    } else {
      buffer.values.zero();
    }
  }
  if (parts.average.started()) broadcast(parts.workers, parts.average.values());
  restore_residuals(checkpoint, json.value(kResidualsKey, ""), parts);
}

void start_from(const std::string& path, TranslationModel& model) {
  const fs::path file = fs::is_directory(path) ? fs::path(path) / "weights.safetensors" : fs::path(path);
  const SafetensorsFile weights(file);
  size_t taken = 0;
  change_on_host(model.weights().write(), [&](std::span<float> values) {
    for (const Parameter& p : model.table().all()) {
      const TensorView* tensor = weights.find(p.name);
      if (tensor == nullptr || tensor->shape != p.shape) continue;
      copy_tensor(*tensor, values.subspan(static_cast<size_t>(p.offset), static_cast<size_t>(p.size)));
      ++taken;
    }
  });
  if (taken == 0) fail("{} has no parameter of the name and shape of one of this model", file.string());
  log("start from {}: {} of {} parameters taken over", file.string(), taken, model.table().all().size());
}

}  // namespace verbund
