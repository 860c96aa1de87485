// SPDX-License-Identifier: Apache-2.0
#include "train/fine_tune.h"

#include <algorithm>

#include "config/hints.h"
#include "config/load.h"
#include "config/settings.h"
#include "config/value.h"
#include "core/error.h"
#include "core/file.h"
#include "core/human.h"
#include "core/json_file.h"
#include "core/plain_path.h"
#include "data/dataset.h"
#include "decode/trained_model.h"
#include "evaluate/extra_dev_sets.h"
#include "mixture/training_set.h"
#include "optim/schedule.h"
#include "record/run_record.h"
#include "train/start_from.h"

namespace verbund {
namespace {

constexpr int64_t kShare = 10;               // of the model's steps, and of its highest rate: a tenth
constexpr int64_t kFewestTuningSteps = 100;  // a model that was trained shortly
constexpr int64_t kStepsOfUnknown = 1000;    // a model whose steps are not known, because it was imported
constexpr int64_t kWarmupShare = 20;         // of the steps
constexpr int64_t kEvaluations = 10;         // at least

double highest_rate(const Config& config, int64_t steps) {
  const Schedule schedule(config.schedule, config.model.d_model);
  double highest = 0;
  for (int64_t step = 0; step < steps; ++step) highest = std::max(highest, schedule.rate(step));
  return highest;
}

// Applies the file, then --set, which wins.
void apply_requested(Config& config, const FineTuneRequest& request) {
  const ScheduleConfig before = config.schedule;
  if (!request.config.empty()) {
    const ConfigText found = find_config(request.config);
    load(parse_yaml(found.text, found.where), config, config_hints());
  }
  override_config(config, request.overrides);
  // A request for another rate means the constant one after the warm-up.
  ScheduleConfig& now = config.schedule;
  const bool is_constant = before.min_lr == before.learning_rate && now.policy == before.policy;
  if (is_constant && now.min_lr == before.min_lr) now.min_lr = now.learning_rate;
}

void refuse_other_shape(const Config& model, const Config& config, const fs::path& folder) {
  const Json before = flatten(model), now = flatten(config);
  for (const auto& [key, value] : before.items()) {
    const bool free = key.find("dropout") != std::string::npos || key == "model.label_smoothing" ||
                      key == "model.norm_epsilon";  // to which a model adapts in some steps
    if (free || !key.starts_with("model.") || now.at(key) == value) continue;
    fail_usage("--finetune takes over the model of {}, where {} is {}: it cannot become {}", folder.string(), key,
               dump_json(value), dump_json(now.at(key)));
  }
}

bool has_dev_pairs(const fs::path& dataset) {
  return fs::exists(dataset / kDatasetManifest) && read_manifest(dataset).splits.contains("dev");
}

std::string name_of_folder(const fs::path& folder) {
  std::string name = folder_name(folder);
  for (char& c : name) {
    if (!is_source_name({&c, 1})) c = '-';
  }
  return name;
}

// The dataset that a run was trained on; "" if that is not on record.
std::string dataset_of(const fs::path& run) {
  if (!fs::exists(run / "run.json")) return "";
  const Json record = read_run_record(run);
  return record.contains("dataset") ? record["dataset"].value("path", "") : "";
}

size_t dataset_folders_of(const fs::path& run) {
  if (!fs::exists(run / "run.json")) return 0;
  return read_run_record(run).value("dataset", Json::object()).value("folders", Json::array()).size();
}

// The same for replay, where it must be there.
std::string dataset_to_replay(const fs::path& run) {
  std::string old = dataset_of(run);
  if (!old.empty() && fs::exists(fs::path(old) / kDatasetManifest)) return old;
  fail(
      "--replay draws pairs from the dataset of {}, which {}. If it is elsewhere now, give it as a second --data "
      "folder instead of --replay, and the shares of both: --set 'mixture.weights={{NEW: 0.8, OLD: 0.2}}'",
      run.string(), old.empty() ? "is not on record" : "is no longer there: " + old);
}

ModelFiles open_files(const fs::path& folder) {
  ModelPlace place;
  place.folder = folder;
  return open_model(place);
}

// The dataset that a run has drawn from since it began, beside those of --data: on its record, the last folder. ""
// without one.
std::string replayed_by(const FineTuneRequest& request) {
  if (!fs::exists(request.run / "run.json")) return "";
  const Json record = read_run_record(request.run);
  const Json folders = record.value("dataset", Json::object()).value("folders", Json::array());
  if (folders.size() != request.data.size() + 1) return "";
  std::string old = folders.back();
  if (fs::exists(fs::path(old) / kDatasetManifest)) return old;
  fail(
      "the run {} draws pairs from {}, too, which is no longer there. Move it back, or, if a folder of the same name "
      "has "
      "it elsewhere, give that as the last --data folder, without --replay",
      request.run.string(), old);
}

// The model that a run began with: on its record with an absolute path.
fs::path model_of(const fs::path& run, const TrainConfig& config) {
  const Json record = fs::exists(run / "run.json") ? read_run_record(run) : Json::object();
  const std::string path = record.value(kStartedFrom, Json::object()).value("path", "");
  return path.empty() ? config.start_from : path;
}

// Draws the share from the dataset of before, and the rest from the new ones; within each part, corpora keep their
// proportions.
void set_replay(const FineTuneRequest& request, Config& config, const std::string& old) {
  std::vector<Dataset> datasets;
  size_t of_new = 0;
  for (const fs::path& folder : request.data) of_new += datasets.emplace_back(folder).manifest().sources().size();
  datasets.emplace_back(old);
  const TrainingSet set = training_set(datasets);
  const auto amount = [&](size_t i) {
    return set.corpora()[i].weight * static_cast<double>(set.corpora()[i].split->size());
  };
  double all_new = 0, all_old = 0;
  for (size_t i = 0; i < set.corpora().size(); ++i) (i < of_new ? all_new : all_old) += amount(i);
  config.mixture.weights.clear();
  for (size_t i = 0; i < set.corpora().size(); ++i) {
    const double share = i < of_new ? (1 - request.replay) / all_new : request.replay / all_old;
    config.mixture.weights.push_back({set.corpora()[i].name, share * amount(i)});
  }
}

// Keeps the extra dev sets of the model's run that are still there, and adds its own.
void add_old_dev_sets(const fs::path& run, const fs::path& data, FineTuned& result) {
  std::vector<ExtraDevSetConfig>& also = result.config.evaluate.also;
  const auto missing = [&](const std::string& folder, const std::string& why) {
    result.notes.push_back(fmt::format(
        "fine-tune: forgetting on {} cannot be measured, because {}; evaluate.also names other dev sets", folder, why));
  };
  std::erase_if(also, [&](const ExtraDevSetConfig& set) {
    if (has_dev_pairs(set.data)) return false;
    missing(set.data, "it no longer has dev pairs");
    return true;
  });
  const std::string old = dataset_of(run);
  if (!has_dev_pairs(data)) {  // the set that decides
    also.clear();
    result.notes.push_back(
        fmt::format("fine-tune: forgetting on {} cannot be measured, because {} has no dev pairs, without which "
                    "nothing is evaluated",
                    old.empty() ? run.string() : old, data.string()));
    return;
  }
  if (old.empty()) return missing(run.string(), "the run does not say on which dataset it was trained");
  if (!has_dev_pairs(old)) return missing(old, "the folder no longer exists, or has no dev pairs");
  if (fs::equivalent(old, data)) return;
  std::string name = name_of_folder(run);
  const auto taken = [&] {
    return std::ranges::any_of(also, [&](const ExtraDevSetConfig& set) { return dev_set_name(set) == name; }) ||
           read_manifest(data).splits.contains("dev-" + name);
  };
  while (taken()) name += "-old";
  also.push_back({name, old});
  result.notes.push_back(fmt::format("fine-tune: the dev set of {} is evaluated as well, as {}", old, name));
}

}  // namespace

void set_length_and_schedule(Config& config, int64_t steps) {
  const int64_t length = steps > 0 ? std::max(kFewestTuningSteps, steps / kShare) : kStepsOfUnknown;
  const double rate = highest_rate(config, steps > 0 ? steps : config.schedule.warmup_steps + 1);
  config.schedule = {};
  config.schedule.policy = SchedulePolicy::kPolyDecay;  // with these numbers: constant after the warm-up
  config.schedule.learning_rate = config.schedule.min_lr = rate / kShare;
  config.schedule.warmup_steps = length / kWarmupShare;
  config.schedule.decay_steps = 1;
  config.train.max_steps = length;
  config.train.epochs = 0;
  const int64_t every = std::max<int64_t>(1, length / kEvaluations);
  const auto at_most = [&](int64_t& interval, int64_t max) { interval = interval > 0 ? std::min(interval, max) : max; };
  at_most(config.train.eval_every, every);
  at_most(config.train.log_every, every);
  at_most(config.checkpoint.save_every_steps, every * kEvaluations / 2);
}

FineTuned fine_tune(const FineTuneRequest& request) {
  FineTuned result;
  Config& config = result.config;
  if (const fs::path begun = request.run / "config.yaml"; fs::exists(begun)) {
    config = load_config(begun.string(), {});
    const fs::path began_with = model_of(request.run, config.train);
    const auto is_model = [&](const fs::path& path) {
      return !path.empty() && plain_path(path) == plain_path(request.model);
    };
    // As it was typed, too: folders may have been moved together, or mounted elsewhere.
    if (!is_model(began_with) && !is_model(config.train.start_from)) {
      fail_usage("the run {} began with {}, not with the model of {}: give another --run folder", request.run.string(),
                 began_with.empty() ? "random weights" : "the model of " + began_with.string(), request.model.string());
    }
    const Config before = config;
    result.replayed = replayed_by(request);
    if (request.replay > 0) {
      if (result.replayed.empty()) result.replayed = dataset_to_replay(open_files(request.model).run);
      set_replay(request, config, result.replayed);  // another share than the run's is refused, as any other mixture
    } else if (!result.replayed.empty()) {
      result.notes.push_back(
          fmt::format("fine-tune: pairs are also drawn from {}, as since the run began", result.replayed));
    }
    apply_requested(config, request);
    refuse_other_shape(before, config, request.model);
    return result;
  }
  const ModelFiles model = open_files(request.model);
  config = model.config;
  set_length_and_schedule(config, model.checkpoint.step());
  config.average.start_step = 0;
  config.evaluate.at_start = true;
  config.train.timeline = {};
  config.train.freeze.clear();
  config.train.start_from = request.model.string();  // as it is typed; run.json has the whole path
  config.train.start_from_checkpoint.clear();
  config.train.start_from_vocabulary = StartVocabulary::kSame;
  result.notes.push_back(fmt::format(
      "fine-tune: the model and settings of {} (step {}); a fresh optimiser, {} steps, learning rate {:.3g} after {} "
      "steps of warm-up, unless --config or --set say otherwise",
      model.checkpoint.folder().string(), human_count(static_cast<uint64_t>(model.checkpoint.step())),
      human_count(static_cast<uint64_t>(config.train.max_steps)), config.schedule.learning_rate,
      config.schedule.warmup_steps));
  Config requested = config;
  apply_requested(requested, request);
  if (requested.train.start_from_vocabulary == StartVocabulary::kSame) {
    add_old_dev_sets(model.run, request.data.front(), result);
  } else {
    config.evaluate.also.clear();
    result.notes.emplace_back("fine-tune: forgetting cannot be measured, because the model gets another vocabulary");
  }
  if (std::string& stop_on = config.evaluate.stop_on; !stop_on.empty() && !has_dev_pairs(request.data.front())) {
    result.notes.push_back(fmt::format("fine-tune: evaluate.stop_on={} of {} is left out, because {} has no dev pairs",
                                       stop_on, model.run.string(), request.data.front().string()));
    stop_on.clear();
  }
  config.mixture = {};  // its corpora are those of another dataset
  if (request.replay > 0) {
    has_vocabulary_of(model, Dataset(request.data.front()), requested.train);
    result.replayed = dataset_to_replay(model.run);
    set_replay(request, config, result.replayed);
    result.notes.push_back(fmt::format("fine-tune: {:.3g} % of the pairs are drawn from the training pairs of {}",
                                       100 * request.replay, result.replayed));
    if (const size_t folders = dataset_folders_of(model.run); folders > 1) {
      result.notes.push_back(
          fmt::format("fine-tune: {} was trained on {} dataset folders, of which only the first is replayed; --data "
                      "takes the others",
                      model.run.string(), folders));
    }
  }
  apply_requested(config, request);
  refuse_other_shape(model.config, config, request.model);
  return result;
}

}  // namespace verbund
