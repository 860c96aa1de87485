// SPDX-License-Identifier: Apache-2.0
#include "decode/trained_model.h"

#include <algorithm>
#include <set>

#include "config/load.h"
#include "config/value.h"
#include "core/error.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/json_file.h"
#include "core/log.h"
#include "cuda/open_device.h"

namespace verbund {
namespace {

fs::path run_of(const fs::path& folder) {
  if (fs::exists(folder / "checkpoints")) return folder;
  const fs::path checkpoints = fs::canonical(folder).parent_path();  // RUN/checkpoints/step-...
  return checkpoints.filename() == "checkpoints" ? checkpoints.parent_path() : folder;
}

// The checksum of the vocabulary that the weights were trained with; "" if the checkpoint is an old one.
std::string known_checksum(const Checkpoint& checkpoint, const char* side) {
  return checkpoint.use_state([&](const Json& state) {
    return state.contains(kVocabulariesKey) ? state.at(kVocabulariesKey).at(side).get<std::string>() : "";
  });
}

// The vocabulary in the run's folder, or in that of a checkpoint that was moved away from its run.
fs::path find_vocabulary(const fs::path& requested, const Checkpoint& checkpoint, const fs::path& run, const char* name,
                         const std::string& checksum) {
  fs::path path = requested;
  if (requested.empty()) path = (fs::exists(checkpoint.folder() / name) ? checkpoint.folder() : run) / name;
  if (!requested.empty() && fs::exists(requested) && fs::exists(run / name)) {
    const std::string given = file_checksum(requested);
    if (given != checksum && given != file_checksum(run / name)) {
      fail("{} is not the vocabulary that the model was trained with: that is {}", requested.string(),
           (run / name).string());
    }
  }
  if (!fs::exists(path)) {
    fail(
        "there is no subword model {}. Copy the one that the model was trained with to there, or give it: --vocabulary "
        "FILE (and --target-vocabulary FILE if there are two).",
        path.string());
  }
  return path;
}

void check_identity(const fs::path& path, const Checkpoint& checkpoint, const std::string& checksum) {
  if (checksum.empty() || file_checksum(path) == checksum) return;
  fail("{} is not the vocabulary that the model in {} was trained with", path.string(), checkpoint.folder().string());
}

void check_size(const fs::path& path, size_t pieces, const SafetensorsFile& weights, const char* parameter) {
  const int64_t rows = weights.at(parameter).shape.at(0);
  if (static_cast<int64_t>(pieces) == rows) return;
  fail("vocabulary and model do not belong together: {} has {} pieces, but {} of {} has {} rows", path.string(), pieces,
       parameter, weights.path().string(), rows);
}

}  // namespace

fs::path find_checkpoint(const ModelPlace& place) {
  const fs::path& folder = place.folder;
  expect_folder(folder, "a run or a checkpoint");
  const fs::path checkpoints = folder / "checkpoints";
  if (!fs::exists(checkpoints)) {
    if (fs::exists(folder / "weights.safetensors")) {
      if (!place.checkpoint.empty()) {
        fail_usage("{} is one checkpoint: give the run's folder to choose \"{}\"", folder.string(), place.checkpoint);
      }
      return folder;
    }
    fail("{} is neither a run folder (with checkpoints/) nor a checkpoint (with weights.safetensors)", folder.string());
  }
  if (place.checkpoint.empty()) {
    const fs::path best = checkpoints / "best";
    const std::optional<fs::path> found = follow_checkpoint_link(best);
    debug("checkpoint: {} {}", best.string(), found ? "exists and is used" : "does not exist, the newest is used");
    if (found) return *found;
    if (fs::is_symlink(best)) {
      fail("{} points to {}, where there is no checkpoint. Choose another one: --checkpoint last", best.string(),
           fs::read_symlink(best).string());
    }
    const NewestCheckpoint newest = newest_whole_checkpoint(checkpoints, INT64_MAX, CheckpointParts::kModel);
    if (!newest.checkpoint) fail("{} has no whole checkpoint", checkpoints.string());
    return newest.checkpoint->folder();
  }
  if (const auto found = follow_checkpoint_link(checkpoints / place.checkpoint)) return *found;
  std::set<std::string> names;
  for (const fs::path& path : list_folder(checkpoints)) {
    std::error_code error;
    if (fs::is_directory(path, error)) names.insert(path.filename().string());
  }
  if (names.empty()) fail("{} has no checkpoint", checkpoints.string());
  fail("{} has no checkpoint \"{}\". There are:\n  {}", checkpoints.string(), place.checkpoint,
       fmt::join(names, "\n  "));
}

ModelFiles open_model(const ModelPlace& place) {
  Checkpoint checkpoint =
      read_while_pruned([&] { return std::vector{find_checkpoint(place)}; },
                        [](const auto& folders) { return Checkpoint(folders.front(), CheckpointParts::kModel); });
  const fs::path run = run_of(place.folder);
  const std::string source_checksum = known_checksum(checkpoint, "source");
  const std::string target_checksum = known_checksum(checkpoint, "target");
  const fs::path source_path =
      find_vocabulary(place.source_vocabulary, checkpoint, run, kSourceVocabulary, source_checksum);
  const fs::path& requested = place.target_vocabulary.empty() ? place.source_vocabulary : place.target_vocabulary;
  const fs::path target_path = find_vocabulary(requested, checkpoint, run, kTargetVocabulary, target_checksum);
  Config config;
  load(parse_yaml(checkpoint.config_yaml(), (checkpoint.folder() / "config.yaml").string()), config);
  debug("model: step {}, vocabularies {} and {}", checkpoint.step(), source_path.string(), target_path.string());

  ModelFiles files{
      run, std::move(checkpoint), config, source_path, target_path, Subwords(source_path), Subwords(target_path)};
  check_size(source_path, files.source.size(), files.checkpoint.model(), "source.embedding");
  if (config.model.share_embeddings != Sharing::kAll) {
    check_size(target_path, files.target.size(), files.checkpoint.model(), "target.embedding");
  } else if (files.source.size() != files.target.size()) {
    check_size(target_path, files.target.size(), files.checkpoint.model(), "source.embedding");
  }
  check_identity(source_path, files.checkpoint, source_checksum);
  check_identity(target_path, files.checkpoint, target_checksum);
  return files;
}

std::vector<std::string> tags_of_training(const fs::path& run) {
  std::vector<std::string> tags;
  use_note(run / "run.json", [&](const Json& record) {
    std::vector<std::string> known;
    for (const Json& corpus : record.at("dataset").at("corpora")) {
      const std::string tag = corpus.value("tag", "");
      if (tag.empty()) return;
      if (std::ranges::find(known, tag) == known.end()) known.push_back(tag);
    }
    tags = std::move(known);
  });
  return tags;
}

TrainedModel load_trained_model(const ModelPlace& place, std::shared_ptr<Device> device) {
  ModelFiles files = open_model(place);
  const Checkpoint& checkpoint = files.checkpoint;
  if (device == nullptr) {
    const Precision precision = place.precision.value_or(files.config.train.precision);
    device = open_device({place.device, precision, !place.precision, started_local_rank()});
  }
  const VocabularySizes sizes = {static_cast<int64_t>(files.source.size()), static_cast<int64_t>(files.target.size())};
  std::unique_ptr<DecodableModel> model = make_fused_transformer(*device, files.config.model, sizes);
  load_weights(files.checkpoint.model(), model->table(), model->weights().write());
  const std::string origin =
      checkpoint.use_state([](const Json& state) { return dump_json(state.value(kOriginKey, Json::object())); });
  const auto mean_of = checkpoint.use_state(
      [](const Json& state) { return state.value(kMeanOfKey, Json::array()).get<std::vector<int64_t>>(); });
  return {.config = files.config,
          .run = files.run,
          .checkpoint = checkpoint.folder(),
          .step = checkpoint.step(),
          .mean_of = mean_of,
          .averaged = checkpoint.average() != nullptr,
          .origin = origin,
          .source_vocabulary = files.source_vocabulary,
          .target_vocabulary = files.target_vocabulary,
          .source = std::move(files.source),
          .target = std::move(files.target),
          .device = std::move(device),
          .model = std::move(model)};
}

}  // namespace verbund
