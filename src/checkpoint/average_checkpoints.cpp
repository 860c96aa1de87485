// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/average_checkpoints.h"

#include <algorithm>

#include "checkpoint/checkpoint_writer.h"
#include "core/error.h"
#include "core/json.h"
#include "core/plain_path.h"
#include "core/progress.h"
#include "core/wall_clock.h"

namespace verbund {
namespace {

std::string list_names(const fs::path& checkpoints) {
  std::vector<std::string> names;
  for (const CheckpointEntry& entry : list_checkpoints(checkpoints)) names.push_back(entry.folder.filename().string());
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

Checkpoint open_checkpoint(const fs::path& folder) {
  try {
    return Checkpoint(folder, CheckpointParts::kModel);
  } catch (const Interrupted&) {
    throw;
  } catch (const Error& error) {
    fail("{}\nName the checkpoints to average without it: --checkpoints NAME NAME ...", error.what());
  }
}

std::vector<Checkpoint> open_all(std::vector<fs::path> folders) {
  for (fs::path& folder : folders) {
    const std::optional<fs::path> found = follow_checkpoint_link(folder);
    if (!found) fail("there is no checkpoint folder {}", folder.string());
    folder = *found;
  }
  std::sort(folders.begin(), folders.end());
  if (const auto twice = std::adjacent_find(folders.begin(), folders.end()); twice != folders.end()) {
    fail("{} is named twice: name each checkpoint once", twice->string());
  }
  if (folders.size() < 2) fail("a mean needs two checkpoints or more, not {}", folders.size());
  std::vector<Checkpoint> checkpoints;
  checkpoints.reserve(folders.size());
  Progress progress("reading", folders.size(), "checkpoints");
  for (const fs::path& folder : folders) {
    progress.update(checkpoints.size());
    checkpoints.push_back(open_checkpoint(folder));
  }
  std::stable_sort(checkpoints.begin(), checkpoints.end(),
                   [](const Checkpoint& a, const Checkpoint& b) { return a.step() < b.step(); });
  return checkpoints;
}

bool all_exponential(const std::vector<Checkpoint>& checkpoints) {
  const auto without = [](const Checkpoint& checkpoint) { return checkpoint.average() == nullptr; };
  const auto bare = std::find_if(checkpoints.begin(), checkpoints.end(), without);
  const auto averaged = std::find_if_not(checkpoints.begin(), checkpoints.end(), without);
  if (bare != checkpoints.end() && averaged != checkpoints.end()) {
    fail("{} has exponentially averaged weights ({}), but {} has none: a mean of both kinds would be neither",
         averaged->folder().string(), kAverageFile, bare->folder().string());
  }
  return bare == checkpoints.end();
}

// Both hold the same tensors of the same shapes.
void check_same_model(const SafetensorsFile& first, const SafetensorsFile& other) {
  const auto name_missing = [](const SafetensorsFile& has, const SafetensorsFile& lacks) {
    for (const TensorView& tensor : has.tensors()) {
      if (lacks.find(tensor.name) == nullptr) {
        fail("{} has the tensor {}, but {} has not: only checkpoints of one model can be averaged", has.path().string(),
             tensor.name, lacks.path().string());
      }
    }
  };
  name_missing(first, other);
  name_missing(other, first);
  for (const TensorView& tensor : first.tensors()) {
    const TensorView& same = other.at(tensor.name);
    if (same.shape == tensor.shape) continue;
    fail("{} is {} in {}, but {} in {}: only checkpoints of one model can be averaged", tensor.name,
         show_shape(tensor.shape), first.path().string(), show_shape(same.shape), other.path().string());
  }
}

// The common vocabularies of all checkpoints that have them, as JSON; "" if none has.
std::string common_vocabularies(const std::vector<Checkpoint>& checkpoints) {
  const Checkpoint* known = nullptr;
  Json common;
  for (const Checkpoint& checkpoint : checkpoints) {
    const Json own = checkpoint.use_state([](const Json& state) { return state.value(kVocabulariesKey, Json()); });
    if (own.is_null()) continue;
    if (known != nullptr && own != common) {
      fail("{} and {} were trained with different vocabularies: only checkpoints of one model can be averaged",
           known->folder().string(), checkpoint.folder().string());
    }
    known = &checkpoint;
    common = own;
  }
  return known != nullptr ? dump_json(common) : "";
}

// The origins of the checkpoints, as JSON. An old checkpoint has only its step.
std::string origins_of(const std::vector<Checkpoint>& checkpoints) {
  Json origins = Json::array();
  for (const Checkpoint& checkpoint : checkpoints) {
    Json origin = {{"step", checkpoint.step()}};
    origin.update(checkpoint.use_state([](const Json& state) { return state.value(kOriginKey, Json::object()); }));
    origins.push_back(origin);
  }
  return dump_json(origins);
}

std::vector<float> mean_of(const std::string& name, const std::vector<const SafetensorsFile*>& files) {
  const size_t size = files.front()->at(name).bytes.size() / sizeof(float);
  std::vector<double> sum(size);
  std::vector<float> values(size);
  for (const SafetensorsFile* file : files) {
    copy_tensor<float>(file->at(name), values);
    for (size_t i = 0; i < size; ++i) sum[i] += static_cast<double>(values[i]);
  }
  const auto count = static_cast<double>(files.size());
  std::transform(sum.begin(), sum.end(), values.begin(), [&](double s) { return static_cast<float>(s / count); });
  return values;
}

bool is_mean(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder / kStateFile, error)) return false;
  const Json state = try_parse_json(read_file(folder / kStateFile));
  return state.is_object() && state.contains(kMeanOfKey);
}

}  // namespace

std::vector<fs::path> last_checkpoints(const fs::path& checkpoints, int64_t count) {
  const std::vector<CheckpointEntry> entries = list_checkpoints(checkpoints);
  if (static_cast<int64_t>(entries.size()) < count) {
    fail("--last {} needs that many checkpoints, but {} has {}: {}", count, checkpoints.string(), entries.size(),
         list_names(checkpoints));
  }
  std::vector<fs::path> folders;
  for (auto entry = entries.end() - count; entry != entries.end(); ++entry) folders.push_back(entry->folder);
  return folders;
}

std::vector<fs::path> named_checkpoints(const fs::path& checkpoints, const std::vector<std::string>& names) {
  std::vector<fs::path> folders;
  for (const std::string& name : names) {
    if (const std::optional<fs::path> found = follow_checkpoint_link(checkpoints / name)) {
      folders.push_back(*found);
      continue;
    }
    fail("{} has no checkpoint \"{}\". There are: {}", checkpoints.string(), name, list_names(checkpoints));
  }
  return folders;
}

CheckpointMean::CheckpointMean(std::vector<fs::path> folders) {
  const std::vector<Checkpoint> checkpoints = open_all(std::move(folders));
  exponential_ = all_exponential(checkpoints);
  std::vector<const SafetensorsFile*> files;
  for (const Checkpoint& checkpoint : checkpoints) {
    steps_.push_back(checkpoint.step());
    files.push_back(&checkpoint.model());
    check_same_model(*files.front(), *files.back());
  }
  Progress progress("averaging", files.front()->tensors().size(), "tensors");
  for (const TensorView& tensor : files.front()->tensors()) {
    progress.update(tensors_.size());
    tensors_.push_back({tensor.name, tensor.shape, mean_of(tensor.name, files)});
  }
  config_yaml_ = checkpoints.back().config_yaml();
  vocabularies_ = common_vocabularies(checkpoints);
  origins_ = origins_of(checkpoints);
}

CheckpointSnapshot CheckpointMean::snapshot(const std::string& program) const {
  CheckpointSnapshot snapshot;
  snapshot.step = steps_.back();
  for (const Tensor& tensor : tensors_) {
    snapshot.weights.push_back(view_tensor<float>(tensor.name, tensor.shape, tensor.values));
  }
  Json state = {{"step", snapshot.step}, {kMeanOfKey, steps_}, {"file", exponential_ ? kAverageFile : kWeightsFile}};
  if (!vocabularies_.empty()) state[kVocabulariesKey] = parse_json(vocabularies_);
  state[kOriginKey] = {{"program", program}, {"time", utc_time()}, {"made_of", parse_json(origins_)}};
  snapshot.state_json = dump_json(state, 2) + "\n";
  snapshot.config_yaml = config_yaml_;
  return snapshot;
}

void check_place_of_mean(const fs::path& folder) {
  const fs::path path = plain_path(folder);
  const std::string name = path.filename().string();
  if (name.starts_with("step-") || name.ends_with(kPartialEnding) || name.ends_with(kDeletingEnding)) {
    fail_usage("an average cannot be called {}: such names are for what training saves. Give another name.", name);
  }
  if (path.parent_path().filename() == "checkpoints" && (name == kLastLink || name.starts_with("best"))) {
    fail_usage("{} is a name that training gives to its own checkpoints: choose another", name);
  }
  if (fs::is_symlink(path)) fail("{} is a link, which will not be replaced: give another name", path.string());
  if (fs::exists(path) && !(fs::is_directory(path) && (fs::is_empty(path) || is_mean(path)))) {
    fail("{} exists and is not an average of checkpoints: it will not be replaced. Give another name.", path.string());
  }
  const fs::path partial = path.string() + kPartialEnding, leaving = path.string() + kDeletingEnding;
  const bool used = !PartialFolder::may_write(path);  // the names while the mean is written or replaced
  if (!used && !fs::exists(fs::symlink_status(leaving))) return;
  fail("{} is in the way. If a call that was killed left it, remove it; else give the average another name.",
       (used ? partial : leaving).string());
}

void save_mean(const fs::path& folder, const CheckpointMean& mean, const std::string& program) {
  check_place_of_mean(folder);
  write_checkpoint(plain_path(folder), mean.snapshot(program));
}

}  // namespace verbund
