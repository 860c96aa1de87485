// SPDX-License-Identifier: Apache-2.0
#include "decode/export.h"

#include <limits>
#include <map>

#include "checkpoint/checkpoint_format.h"
#include "core/error.h"
#include "core/file.h"
#include "core/interrupt.h"
#include "core/json.h"
#include "core/plain_path.h"
#include "core/wall_clock.h"
#include "model/position_codes.h"

namespace verbund {
namespace {

constexpr uint32_t kBinaryVersion = 6;
constexpr char kSpecName[] = "TransformerSpec";
constexpr uint32_t kSpecRevision = 7;

// Types as CTranslate2 numbers them.
enum class Type : uint8_t { kFloat32 = 0, kInt8 = 1, kInt16 = 2 };

int8_t activation_number(Activation activation) {
  switch (activation) {
    case Activation::kRelu:
      return 0;
    case Activation::kSwish:
      return 2;
    case Activation::kGelu:
      return 3;
  }
  return 0;
}

struct Variable {
  Type type;
  std::vector<int64_t> shape;  // empty: a scalar
  std::string_view bytes;      // little-endian, as this machine has them
};

// The model under CTranslate2's names. Weights are not copied: its matrices are rows of ours.
class Variables {
 public:
  explicit Variables(const TrainedModel& trained)
      : config_(trained.config.model),
        model_(*trained.model),
        values_(model_.weights().values()),
        positions_(position_codes(config_.positions, kExportedPositions, config_.d_model)) {
    add_side("encoder", config_.encoder_layers);
    add_side("decoder", config_.decoder_layers);
    for (int64_t i = 0; i < config_.decoder_layers; ++i) add_cross_attention(i);
    add_embeddings();
  }

  const std::map<std::string, Variable>& all() const { return variables_; }
  const std::map<std::string, std::string>& aliases() const { return aliases_; }

 private:
  // The parts that both sides have; cross-attention is added separately.
  void add_side(const std::string& side, int64_t layers) {
    add_scalar(side + "/num_heads", static_cast<int16_t>(config_.heads));
    add_scalar(side + "/pre_norm", static_cast<int8_t>(config_.norm == NormPlace::kPre));
    add_scalar(side + "/activation", activation_number(config_.activation));
    add_scalar(side + "/scale_embeddings", static_cast<int8_t>(config_.scale_embeddings));
    for (int64_t i = 0; i < layers; ++i) {
      const std::string ours = fmt::format("{}.{}.", side, i);
      const std::string theirs = fmt::format("{}/layer_{}/", side, i);
      add_norm(theirs + "self_attention/layer_norm", ours + "self.norm");
      add_linear(theirs + "self_attention/linear_0", ours + "self.qkv");
      add_linear(theirs + "self_attention/linear_1", ours + "self.out");
      add_norm(theirs + "ffn/layer_norm", ours + "ff.norm");
      add_linear(theirs + "ffn/linear_0", ours + "ff.in");
      add_linear(theirs + "ffn/linear_1", ours + "ff.out");
    }
    if (config_.norm == NormPlace::kPre) add_norm(side + "/layer_norm", side + ".norm");
  }

  void add_cross_attention(int64_t layer) {
    const std::string ours = fmt::format("decoder.{}.cross.", layer);
    const std::string theirs = fmt::format("decoder/layer_{}/attention/", layer);
    add_norm(theirs + "layer_norm", ours + "norm");
    add_linear(theirs + "linear_0", ours + "q");
    add_linear(theirs + "linear_1", "decoder.cross.kv", layer, config_.decoder_layers);  // this layer's keys and values
    add_linear(theirs + "linear_2", ours + "out");
  }

  // A shared matrix is written once; its other names are aliases.
  void add_embeddings() {
    if (config_.share_embeddings == Sharing::kAll) {
      add("decoder/embeddings/weight", "source.embedding");
      aliases_["encoder/embeddings_0/weight"] = "decoder/embeddings/weight";
    } else {
      add("decoder/embeddings/weight", "target.embedding");
      add("encoder/embeddings_0/weight", "source.embedding");
    }
    if (config_.share_embeddings == Sharing::kNone) {
      add("decoder/projection/weight", "output.weight");
    } else {
      aliases_["decoder/projection/weight"] = "decoder/embeddings/weight";
    }
    if (config_.output_bias) add("decoder/projection/bias", "output.bias");
    variables_["decoder/position_encodings/encodings"] = {
        Type::kFloat32, {kExportedPositions, config_.d_model}, bytes_of<float>(positions_)};
    aliases_["encoder/position_encodings/encodings"] = "decoder/position_encodings/encodings";
  }

  void add_norm(const std::string& theirs, const std::string& ours) {
    add(theirs + "/gamma", ours + ".scale");
    add(theirs + "/beta", ours + ".bias");
  }

  void add_linear(const std::string& theirs, const std::string& ours, int64_t part = 0, int64_t parts = 1) {
    add(theirs + "/weight", ours + ".weight", part, parts);
    if (model_.table().has(ours + ".bias")) add(theirs + "/bias", ours + ".bias", part, parts);
  }

  // Adds part number `part` of a parameter that holds `parts` of the same shape, one below the other.
  void add(const std::string& theirs, const std::string& ours, int64_t part = 0, int64_t parts = 1) {
    const Parameter& parameter = model_.table().find(ours);
    const auto size = static_cast<size_t>(parameter.size / parts);
    const auto offset = static_cast<size_t>(parameter.offset) + static_cast<size_t>(part) * size;
    std::vector<int64_t> shape = parameter.shape;
    shape[0] /= parts;
    variables_[theirs] = {Type::kFloat32, std::move(shape), bytes_of<float>(values_.values().subspan(offset, size))};
  }

  void add_scalar(const std::string& name, int8_t value) { add_scalar(name, Type::kInt8, value, 1); }
  void add_scalar(const std::string& name, int16_t value) { add_scalar(name, Type::kInt16, value, 2); }

  void add_scalar(const std::string& name, Type type, int16_t value, size_t size) {
    int16_t& kept = scalars_[name];
    kept = value;
    variables_[name] = {type, {}, {reinterpret_cast<const char*>(&kept), size}};
  }

  template <typename T>
  static std::string_view bytes_of(std::span<const T> values) {
    return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
  }

  const ModelConfig& config_;
  DecodableModel& model_;
  HostCopy values_;
  std::vector<float> positions_;
  std::map<std::string, int16_t> scalars_;
  std::map<std::string, Variable> variables_;
  std::map<std::string, std::string> aliases_;  // name -> variable
};

template <typename T>
void write_number(AtomicFile& file, T value) {
  file.write({reinterpret_cast<const char*>(&value), sizeof value});
}

// Writes a string with its length, which includes the final zero.
void write_string(AtomicFile& file, const std::string& text) {
  write_number(file, static_cast<uint16_t>(text.size() + 1));
  file.write({text.c_str(), text.size() + 1});
}

void write_variable(AtomicFile& file, const std::string& name, const Variable& variable) {
  if (variable.bytes.size() > std::numeric_limits<uint32_t>::max()) {
    fail("{} takes {} bytes, but CTranslate2's format holds at most {} in one matrix", name, variable.bytes.size(),
         std::numeric_limits<uint32_t>::max());
  }
  check_interrupt();
  write_string(file, name);
  write_number(file, static_cast<uint8_t>(variable.shape.size()));
  for (const int64_t extent : variable.shape) write_number(file, static_cast<uint32_t>(extent));
  write_number(file, variable.type);
  write_number(file, static_cast<uint32_t>(variable.bytes.size()));
  file.write(variable.bytes);
}

void write_model(const fs::path& path, const Variables& variables) {
  AtomicFile file(path);
  write_number(file, kBinaryVersion);
  write_string(file, kSpecName);
  write_number(file, kSpecRevision);
  write_number(file, static_cast<uint32_t>(variables.all().size()));
  for (const auto& [name, variable] : variables.all()) write_variable(file, name, variable);
  write_number(file, static_cast<uint32_t>(variables.aliases().size()));
  for (const auto& [name, meant] : variables.aliases()) {
    write_string(file, name);
    write_string(file, meant);
  }
  file.commit();
}

// Makes CTranslate2 treat a sentence as training did.
void write_config(const fs::path& path, const TrainedModel& trained) {
  const Subwords& target = trained.target;
  const Json config = {{"add_source_bos", false},
                       {"add_source_eos", true},
                       {"bos_token", target.piece(kStartOfSentence)},
                       {"decoder_start_token", target.piece(kStartOfSentence)},
                       {"eos_token", target.piece(kEndOfSentence)},
                       {"layer_norm_epsilon", trained.config.model.norm_epsilon},
                       {"multi_query_attention", false},
                       {"unk_token", target.piece(kUnknown)}};
  write_file(path, dump_json(config, 2) + "\n");
}

void write_vocabulary(const fs::path& path, const Subwords& subwords) {
  Json pieces = Json::array();
  for (size_t id = 0; id < subwords.size(); ++id) pieces.push_back(subwords.piece(static_cast<TokenId>(id)));
  write_file(path, dump_json(pieces, 0) + "\n");
}

// Writes a file that is not one of CTranslate2: the program and the checkpoint that the export was made from.
void write_provenance(const fs::path& path, const TrainedModel& trained, const std::string& program) {
  const Json json = {{"format", "verbund-export"},
                     {"version", 1},
                     {"time", utc_time()},
                     {"program", program},
                     {"checkpoint", fs::absolute(trained.checkpoint).string()},
                     {"step", trained.step},
                     {"averaged_weights", trained.averaged},
                     {"origin", parse_json(trained.origin)}};
  write_file(path, dump_json(json, 2) + "\n");
}

void write_contents(const fs::path& folder, const TrainedModel& trained, const std::string& program) {
  write_model(folder / "model.bin", Variables(trained));
  write_config(folder / "config.json", trained);
  write_vocabulary(folder / "source_vocabulary.json", trained.source);
  write_vocabulary(folder / "target_vocabulary.json", trained.target);
  // CTranslate2 needs subword pieces, not text: these models split it.
  write_file(folder / kSourceVocabulary, read_file(trained.source_vocabulary));
  write_file(folder / kTargetVocabulary, read_file(trained.target_vocabulary));
  write_provenance(folder / "provenance.json", trained, program);
}

}  // namespace

void export_to_ctranslate2(const TrainedModel& trained, const fs::path& out, const std::string& program) {
  const fs::path folder = plain_path(out);
  if (fs::exists(fs::symlink_status(folder)))
    fail("{} exists already: choose another --out, or remove it", out.string());
  const PartialFolder partial(folder);
  write_contents(partial.path(), trained, program);
  partial.publish();
}

}  // namespace verbund
