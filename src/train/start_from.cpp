// SPDX-License-Identifier: Apache-2.0
#include "train/start_from.h"

#include <algorithm>
#include <unordered_map>

#include "core/error.h"
#include "core/hash.h"
#include "core/human.h"
#include "core/json_file.h"

namespace verbund {
namespace {

// The command that made the dataset, with the subword model of the run and another folder.
std::string command_like(const fs::path& run, const fs::path& dataset) {
  std::vector<std::string> made = {"verbund", "prepare", "..."};
  use_note(dataset / kProvenanceFile,
           [&](const Json& provenance) { made = provenance.at("command").get<std::vector<std::string>>(); });
  std::vector<std::string> command;
  for (size_t i = 0; i < made.size(); ++i) {
    const std::string flag = made[i].substr(0, made[i].find('='));
    if (flag != "--out" && flag != "--subwords" && flag != "--like") {
      command.push_back(made[i]);
    } else if (flag == made[i]) {
      ++i;  // its value
    }
  }
  const std::string out = (dataset / "").parent_path().string() + "-like";
  command.insert(command.end(), {"--like", run.string(), "--out", out});
  return shell_line(command);
}

// The tags of a dataset that the vocabulary of a model does not protect: it could not be prepared with that.
std::vector<std::string> unknown_tags(const Dataset& dataset, const Subwords& source) {
  std::vector<std::string> tags;
  for (const DatasetSource& each : dataset.manifest().named_sources) {
    if (!each.tag.empty() && !source.is_symbol(each.tag) && std::ranges::find(tags, each.tag) == tags.end())
      tags.push_back(each.tag);
  }
  return tags;
}

std::string describe_pieces(const char* vocabulary, const PieceRows& pieces) {
  return fmt::format(", {} of {} pieces of the {} have their rows, {} are initialised", pieces.known(),
                     pieces.rows.size(), vocabulary, pieces.rows.size() - pieces.known());
}

}  // namespace

size_t PieceRows::known() const {
  return rows.size() - static_cast<size_t>(std::count(rows.begin(), rows.end(), kNone));
}

PieceRows rows_in(const Subwords& other, const Subwords& vocabulary) {
  std::unordered_map<std::string, TokenId> ids;
  for (TokenId id = 0; id < static_cast<TokenId>(other.size()); ++id) ids.emplace(other.piece(id), id);
  PieceRows found;
  for (TokenId id = 0; id < static_cast<TokenId>(vocabulary.size()); ++id) {
    const auto at = ids.find(vocabulary.piece(id));
    const TokenId row = at == ids.end() ? PieceRows::kNone : at->second;
    found.rows.push_back(id <= kUnknown ? id : row);
  }
  return found;
}

size_t carry_over(const SafetensorsFile& weights, const PieceRows& source, const PieceRows& target,
                  const ParameterTable& table, std::span<float> values) {
  size_t copied = 0;
  for (const Parameter& p : table.all()) {
    const TensorView* tensor = weights.find(p.name);
    const std::span<float> own = values.subspan(static_cast<size_t>(p.offset), static_cast<size_t>(p.size));
    if (tensor == nullptr) continue;
    const bool has_rows_of_pieces = p.start == Start::kEmbedding || p.name == "output.bias";
    if (!has_rows_of_pieces) {
      if (tensor->shape != p.shape) continue;
      copy_tensor(*tensor, own);
    } else {
      const size_t width = p.shape.size() == 2 ? static_cast<size_t>(p.shape[1]) : 1;
      if (tensor->shape.size() != p.shape.size() || (width > 1 && tensor->shape[1] != p.shape[1])) continue;
      std::vector<float> theirs(static_cast<size_t>(tensor->shape[0]) * width);
      copy_tensor(*tensor, std::span(theirs));
      const PieceRows& pieces = p.name.starts_with("source.") ? source : target;
      for (size_t i = 0; i < pieces.rows.size(); ++i) {
        if (pieces.rows[i] == PieceRows::kNone) continue;
        std::copy_n(theirs.begin() + static_cast<ptrdiff_t>(pieces.rows[i] * width), width,
                    own.begin() + static_cast<ptrdiff_t>(i * width));
      }
    }
    ++copied;
  }
  return copied;
}

bool has_vocabulary_of(const ModelFiles& model, const Dataset& dataset, const TrainConfig& config) {
  const bool same = file_checksum(model.source_vocabulary) == file_checksum(dataset.source_model()) &&
                    file_checksum(model.target_vocabulary) == file_checksum(dataset.target_model());
  if (same || config.start_from_vocabulary == StartVocabulary::kMap) return same;
  const std::vector<std::string> tags = unknown_tags(dataset, model.source);
  const std::string advice =
      tags.empty() ? fmt::format("Prepare the dataset with that of the model:\n  {}\nOr keep",
                                 command_like(config.start_from, dataset.folder()))
                   : fmt::format("It cannot be prepared with that of the model, which has no symbol{} {}. Keep",
                                 tags.size() == 1 ? "" : "s", fmt::join(tags, ", "));
  fail(
      "the dataset {} was made with another subword model than {}: the same id is another piece. {} the rows of the "
      "pieces that both have: --set train.start_from_vocabulary=map",
      dataset.folder().string(), config.start_from, advice);
}

std::string start_from(const TrainConfig& config, const Dataset& dataset, const Subwords& source,
                       const Subwords& target, TranslationModel& model) {
  ModelPlace place;
  place.folder = config.start_from;
  place.checkpoint = config.start_from_checkpoint;
  const ModelFiles other = open_model(place);
  const bool same = has_vocabulary_of(other, dataset, config);
  const PieceRows source_rows = rows_in(other.source, source), target_rows = rows_in(other.target, target);
  size_t copied = 0;
  change_on_host(model.weights().write(), [&](std::span<float> values) {
    copied = carry_over(other.checkpoint.model(), source_rows, target_rows, model.table(), values);
  });
  const std::string from = other.checkpoint.folder().string();
  if (copied == 0) fail("{} has no parameter with the name and shape of one of this model", from);
  const bool joint = dataset.manifest().joint();
  std::string said = fmt::format("start from {}: {} of {} parameters copied", from, copied, model.table().all().size());
  if (!same) said += describe_pieces(joint ? "vocabulary" : "source vocabulary", source_rows);
  if (!same && !joint) said += describe_pieces("target vocabulary", target_rows);
  return said;
}

}  // namespace verbund
