// SPDX-License-Identifier: Apache-2.0
#include "interop/foreign_model.h"

#include "checkpoint/checkpoint_writer.h"
#include "config/load.h"
#include "config/show.h"
#include "core/error.h"
#include "core/hash.h"
#include "core/human.h"
#include "core/json.h"
#include "core/log.h"
#include "core/plain_path.h"
#include "core/wall_clock.h"
#include "model/parameters.h"
#include "text/subwords.h"

namespace verbund {
namespace {

using Values = std::vector<float>;

Values reordered(const Values& table, int64_t width, const std::vector<VocabularyRow>& rows) {
  Values result;
  result.reserve(rows.size() * static_cast<size_t>(width));
  for (const VocabularyRow& row : rows) {
    if (row.foreign == ForeignVocabulary::kNone) {
      result.resize(result.size() + static_cast<size_t>(width));
    } else {
      const auto first = table.begin() + row.foreign * width;
      result.insert(result.end(), first, first + width);
    }
  }
  return result;
}

Values reordered_bias(const Values& bias, const std::vector<VocabularyRow>& rows) {
  Values result;
  for (const VocabularyRow& row : rows) {
    const bool known = row.foreign != ForeignVocabulary::kNone && !bias.empty();
    result.push_back((known ? bias[static_cast<size_t>(row.foreign)] : 0) + (row.silent ? kNoProbability : 0));
  }
  return result;
}

struct RowOrder {
  std::vector<VocabularyRow> source, target;
  std::string source_model, target_model;  // SentencePiece models in this order
};

// A vocabulary may lack pieces: that of an OPUS-MT model has those that occurred in its training text, which is nearly
// all of both sides. A model of other text, or of the other side, shares short pieces alone.
constexpr double kManyUnknown = 0.05, kTooManyUnknown = 0.5;

std::string read_subword_model(const fs::path& path, const ForeignVocabulary& vocabulary) {
  check_subword_model(path);
  std::string model = read_file(path);
  const LearnedPieces pieces = count_pieces(vocabulary, model);
  const auto all = static_cast<double>(pieces.all), unknown = static_cast<double>(pieces.unknown);
  if (unknown > kTooManyUnknown * all) {
    fail(
        "{}: {} of its {} pieces are not in the model's vocabulary, which would not know text that is cut into them. "
        "Is it the file of another model, or of the other side? Use those that were made with this model.",
        path.string(), human_count(pieces.unknown), human_count(pieces.all));
  }
  if (unknown > kManyUnknown * all) {
    warn(
        "{}: {} of its {} pieces are not in the model's vocabulary, which does not know text that is cut into them. "
        "If it belongs to another model, or to the other side, translations will be poor.",
        path.string(), human_count(pieces.unknown), human_count(pieces.all));
  }
  return model;
}

RowOrder order_rows(const ForeignModel& model) {
  const std::string source = read_subword_model(model.source_model, model.source),
                    target = read_subword_model(model.target_model, model.target);
  RowOrder order;
  if (model.config.model.share_embeddings == Sharing::kAll) {
    order.source = order.target = rows_of(model.source, std::vector<std::string_view>{source, target});
  } else {
    order.source = rows_of(model.source, std::vector<std::string_view>{source});
    order.target = rows_of(model.target, std::vector<std::string_view>{target});
  }
  order.source_model = with_rows(source, order.source);
  order.target_model = with_rows(target, order.target);
  return order;
}

// The parameters in the order of the table.
std::vector<std::pair<Parameter, Values>> put_in_order(const ForeignModel& model, const RowOrder& order) {
  const VocabularySizes sizes = {static_cast<int64_t>(order.source.size()), static_cast<int64_t>(order.target.size())};
  std::vector<std::pair<Parameter, Values>> parameters;
  const ParameterTable table(model.config.model, sizes);
  for (const Parameter& parameter : table.all()) {
    Values values;
    if (parameter.name == "output.bias") {
      values = reordered_bias(model.output_bias, order.target);
    } else {
      values = model.weights.at(parameter.name);
      if (parameter.start == Start::kEmbedding) {
        const bool source = parameter.name.starts_with("source.");
        values = reordered(values, parameter.shape[1], source ? order.source : order.target);
      }
    }
    if (static_cast<int64_t>(values.size()) != parameter.size) {
      fail("{} has {} values, but {} are expected", parameter.name, values.size(), parameter.size);
    }
    parameters.emplace_back(parameter, std::move(values));
  }
  return parameters;
}

// The settings as config.yaml, which must be such that a run may have them.
std::string settings_of(const ForeignModel& model, const fs::path& source) {
  std::string settings = show(model.config);
  try {
    Config loaded;
    load(parse_yaml(settings, "its settings"), loaded);
  } catch (const UsageError& error) {
    fail("{} cannot be imported: {}", source.string(), error.what());
  }
  return settings;
}

Json origin_of(const ForeignModel& model, const fs::path& source, const std::string& program) {
  Json files = Json::object();
  for (const fs::path& file : model.files) files[file.filename().string()] = file_checksum(file);
  return {{"program", program},
          {"time", utc_time()},
          {"imported", {{"kind", model.kind}, {"from", fs::absolute(source).string()}, {"files", files}}}};
}

}  // namespace

void take_layers(TensorMap& tensors, const NameParts& name, bool transposed, ForeignModel& model) {
  const auto append = [&](const std::string& ours, const Values& values) {
    Values& all = model.weights[ours];
    all.insert(all.end(), values.begin(), values.end());
  };
  for (const LayerPart& part : layer_parts(model.config.model)) {
    const PartNames names = name(part);
    if (part.is_norm()) {
      append(part.ours + ".scale", tensors.take(names.weight, {part.out}));
    } else {
      append(part.ours + ".weight", transposed ? tensors.take_transposed(names.weight, part.in, part.out)
                                               : tensors.take(names.weight, {part.out, part.in}));
    }
    append(part.ours + ".bias", tensors.take(names.bias, {part.out}));
  }
}

int64_t write_run(const ForeignModel& model, const fs::path& run, const fs::path& source, const std::string& program) {
  const fs::path folder = plain_path(run);
  const bool empty = fs::is_directory(fs::symlink_status(folder)) && fs::is_empty(folder);
  if (fs::exists(fs::symlink_status(folder)) && !empty) {
    fail("{} exists already: choose another --run, or remove it", run.string());
  }
  const std::string settings = settings_of(model, source);
  const RowOrder order = order_rows(model);
  const auto parameters = put_in_order(model, order);
  const PartialFolder partial(folder);
  const fs::path &content = partial.path(), source_path = content / kSourceVocabulary,
                 target_path = content / kTargetVocabulary;
  write_file(source_path, order.source_model);
  write_file(target_path, order.target_model);
  for (const fs::path& path : {source_path, target_path}) Subwords{path};  // fails if SentencePiece refuses it

  CheckpointSnapshot snapshot;
  int64_t count = 0;
  for (const auto& [parameter, values] : parameters) {
    count += parameter.size;
    snapshot.weights.push_back(view_tensor<float>(parameter.name, parameter.shape, values));
  }
  const Json state = {
      {"step", 0},
      {kVocabulariesKey, {{"source", file_checksum(source_path)}, {"target", file_checksum(target_path)}}},
      {kOriginKey, origin_of(model, source, program)}};
  snapshot.state_json = dump_json(state, 2) + "\n";
  snapshot.config_yaml = settings;
  make_folder(content / "checkpoints");
  write_checkpoint(content / "checkpoints" / step_folder_name(0), snapshot);
  set_checkpoint_link(content / "checkpoints", kLastLink, 0);
  write_file(content / "config.yaml", snapshot.config_yaml);
  if (empty) fs::remove(folder);
  partial.publish();
  return count;
}

}  // namespace verbund
