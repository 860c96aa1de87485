// SPDX-License-Identifier: Apache-2.0
// Folders of Hugging Face's MarianMTModel, as those of OPUS-MT; and of Pegasus with the same tokenizer, which is our
// export of pre-norm models.
#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/json_file.h"
#include "core/log.h"
#include "interop/foreign_model.h"
#include "model/position_codes.h"

namespace verbund {
namespace {

constexpr size_t kMaxSettings = 10'000;

// The settings of config.json. A field that is there is checked, whatever its meaning to other versions.
class HuggingFaceConfig {
 public:
  explicit HuggingFaceConfig(const fs::path& path) : path_(path), json_(parse_json(read_file(path), kMaxSettings)) {
    if (!json_.is_object()) fail("{} holds no settings", path.string());
  }

  bool has(const char* key) const { return json_.contains(key) && !json_.at(key).is_null(); }
  template <typename T>
  T get(const char* key, T otherwise) const {
    if (!has(key)) return otherwise;
    const Json& value = json_.at(key);
    if (std::is_same_v<T, int64_t> && !value.is_number_integer()) refuse(key, "it must be a whole number");
    return value.get<T>();
  }
  int64_t size(const char* key, int64_t max) const {
    const auto value = get<int64_t>(key, 0);
    if (value < 1 || value > max) refuse(key, fmt::format("it must be between 1 and {}", max));
    return value;
  }
  template <typename T>
  void require(const char* key, const T& value, const char* why) const {
    if (has(key) && json_.at(key) != Json(value)) refuse(key, why);
  }
  const fs::path& path() const { return path_; }
  [[noreturn]] void refuse(const char* key, const std::string& why) const {
    fail("{}: {} is {}, which cannot be imported: {}", path_.string(), key,
         json_.contains(key) ? dump_json(json_.at(key)) : "missing", why);
  }

 private:
  fs::path path_;
  Json json_;
};

// Both sides of the decoder's and encoder's sizes must be the same here.
int64_t same_size(const HuggingFaceConfig& config, const char* encoder, const char* decoder, int64_t max) {
  const int64_t size = config.size(encoder, max);
  if (config.size(decoder, max) != size) {
    config.refuse(decoder, fmt::format("{} is {}, and both sides must have the same", encoder, size));
  }
  return size;
}

ModelConfig shape_of(const HuggingFaceConfig& config) {
  const auto type = config.get<std::string>("model_type", "");
  if (type != "marian" && type != "pegasus") {
    config.refuse(
        "model_type",
        "only \"marian\", and \"pegasus\" with norms before each sublayer, have the sinusoidal positions of our "
        "model (learned positions, as those of bart and mbart, are not supported)");
  }
  if (type == "marian") config.require("normalize_before", false, "this class has norms after each sublayer");
  config.require("normalize_embedding", false, "a norm of the embeddings is not supported");
  if (type == "marian") config.require("add_final_layer_norm", false, "this class has no norm after the last layer");
  config.require("static_position_embeddings", true, "learned positions are not supported");
  config.require("add_bias_logits", false, "it is not known what it means");
  ModelConfig model;
  model.encoder_layers = config.size("encoder_layers", 100);
  model.decoder_layers = config.size("decoder_layers", 100);
  model.d_model = config.size("d_model", 16384);
  model.heads = same_size(config, "encoder_attention_heads", "decoder_attention_heads", 256);
  model.d_ff = same_size(config, "encoder_ffn_dim", "decoder_ffn_dim", 65536);
  if (model.d_model % 2 != 0 || model.d_model % model.heads != 0) {
    config.refuse("d_model", "it must be even and a multiple of the number of heads");
  }
  const auto activation = config.get<std::string>("activation_function", "gelu");
  if (activation == "relu") {
    model.activation = Activation::kRelu;
  } else if (activation == "swish" || activation == "silu") {
    model.activation = Activation::kSwish;
  } else if (activation == "gelu") {
    model.activation = Activation::kGelu;
  } else {
    config.refuse("activation_function", "only relu, swish (silu) and gelu are supported");
  }
  model.dropout = config.get("dropout", 0.1);
  model.attention_dropout = config.get("attention_dropout", 0.0);
  model.relu_dropout = config.get("activation_dropout", 0.0);
  model.norm = type == "pegasus" ? NormPlace::kPre : NormPlace::kPost;
  model.norm_epsilon = 1e-5;
  model.attention_bias = model.ff_bias = model.output_bias = true;
  model.scale_embeddings = config.get("scale_embedding", false);
  model.positions = Positions::kHuggingFace;
  const bool tied = config.get("tie_word_embeddings", true);
  const bool shared = config.get("share_encoder_decoder_embeddings", true);
  model.share_embeddings = !tied ? Sharing::kNone : shared ? Sharing::kAll : Sharing::kTarget;
  return model;
}

// More than what storing them has rounded away from numbers up to 1: bfloat16 keeps 8 bits of them, float16 11.
float rounded_away(Dtype dtype) { return dtype == Dtype::kBF16 ? 1.0f / 256 : 1e-3f; }

// Positions that are stored must be sinusoids that we can compute. `first` receives what is added to the first of them.
Positions check_positions(TensorMap& tensors, const std::string& name, const ModelConfig& model,
                          std::vector<float>& first) {
  if (!tensors.has(name)) return model.positions;
  const std::vector<int64_t>& shape = tensors.at(name).shape;
  const int64_t rows = shape.empty() ? 0 : shape[0];
  const float tolerance = rounded_away(tensors.at(name).dtype);
  const auto is_near = [&](float one, float other) { return std::abs(one - other) <= tolerance; };
  const std::vector<float> stored = tensors.take(name, {rows, model.d_model});
  if (rows < 2) fail("{} has {} rows: 2 or more are needed to recognise the sinusoids", name, rows);
  for (const Positions positions : {Positions::kHuggingFace, Positions::kHalves, Positions::kInterleaved}) {
    const std::vector<float> codes = position_codes(positions, rows, model.d_model);
    const auto second = codes.begin() + model.d_model;
    if (!std::equal(second, codes.end(), stored.begin() + model.d_model, is_near)) continue;
    std::transform(codes.begin(), second, stored.begin(), std::back_inserter(first),
                   [](float code, float value) { return value - code; });
    return positions;
  }
  fail("{} holds positions that are not sinusoids: learned positions cannot be imported", name);
}

PartNames huggingface_names(const LayerPart& part) {
  const std::string name = huggingface_name(part);
  return {name + ".weight", name + ".bias"};
}

constexpr const char* kSharedTable = "model.shared.weight";
constexpr const char* kSourceTable = "model.encoder.embed_tokens.weight";
constexpr const char* kTargetTable = "model.decoder.embed_tokens.weight";
constexpr const char* kOutputTable = "lm_head.weight";

void take_embeddings(TensorMap& tensors, bool shared, int64_t source_rows, int64_t target_rows, ForeignModel& model) {
  const int64_t d = model.config.model.d_model;
  auto& weights = model.weights;
  if (shared) {
    std::string name = kSharedTable;
    for (const char* other : {kSourceTable, kTargetTable}) {
      if (!tensors.has(name)) name = other;
    }
    weights["source.embedding"] = tensors.take(name, {source_rows, d});
    for (const char* copy : {kSourceTable, kTargetTable}) tensors.drop_copy(copy, weights["source.embedding"]);
    weights["target.embedding"] = weights["source.embedding"];
  } else {
    weights["source.embedding"] = tensors.take(kSourceTable, {source_rows, d});
    weights["target.embedding"] = tensors.take(kTargetTable, {target_rows, d});
    tensors.drop_copy(kSharedTable, weights["source.embedding"]);
  }
  if (model.config.model.share_embeddings == Sharing::kNone) {
    weights["output.weight"] = tensors.take(kOutputTable, {target_rows, d});
  } else {
    tensors.drop_copy(kOutputTable, weights["target.embedding"]);
  }
  const std::string bias = "final_logits_bias";
  model.output_bias = tensors.has(bias) ? tensors.take(bias, {target_rows}) : std::vector<float>();
}

std::vector<std::string> read_vocabulary(const fs::path& path, int64_t rows) {
  const nlohmann::json json = parse_large_json(read_file(path));
  if (!json.is_object()) fail("{} holds no pieces", path.string());
  std::vector<std::string> pieces(static_cast<size_t>(rows));
  for (const auto& [piece, value] : json.items()) {
    const auto id = value.is_number_integer() ? value.get<int64_t>() : -1;
    if (id < 0 || id >= rows) {
      fail("{}: the piece \"{}\" has the id {}, but the embeddings have {} rows", path.string(), piece,
           dump_json(value), rows);
    }
    std::string& place = pieces[static_cast<size_t>(id)];
    if (!place.empty()) fail("{}: \"{}\" and \"{}\" have the id {} both", path.string(), place, piece, id);
    place = piece;
  }
  return pieces;
}

int64_t id_of(const ForeignVocabulary& vocabulary, const std::string& piece) {
  for (size_t id = 0; id < vocabulary.pieces.size(); ++id) {
    if (vocabulary.pieces[id] == piece) return static_cast<int64_t>(id);
  }
  return ForeignVocabulary::kNone;
}

int64_t checked_id(const HuggingFaceConfig& config, const char* key, int64_t rows) {
  const auto id = config.get<int64_t>(key, ForeignVocabulary::kNone);
  if (id < 0 || id >= rows) config.refuse(key, fmt::format("it must be an id below {}", rows));
  return id;
}

// `decodes`: it is the decoder's. Where the sides have vocabularies of their own, pad_token_id is the encoder's.
ForeignVocabulary vocabulary_of(const HuggingFaceConfig& config, const fs::path& path, std::vector<std::string> pieces,
                                bool decodes, bool shared) {
  const auto rows = static_cast<int64_t>(pieces.size());
  ForeignVocabulary vocabulary;
  vocabulary.pieces = std::move(pieces);
  vocabulary.end = checked_id(config, "eos_token_id", rows);
  vocabulary.unknown = id_of(vocabulary, "<unk>");
  if (vocabulary.unknown == ForeignVocabulary::kNone) fail("{} has no piece <unk>", path.string());
  if (config.has("pad_token_id") && (shared || !decodes)) vocabulary.pad = checked_id(config, "pad_token_id", rows);
  if (decodes || shared) vocabulary.start = checked_id(config, "decoder_start_token_id", rows);
  return vocabulary;
}

// Settings of transformers' search that have no counterpart here, with the values that change nothing.
const std::vector<std::pair<const char*, Json>> kOtherSearches = {{"do_sample", false},
                                                                  {"no_repeat_ngram_size", 0},
                                                                  {"encoder_no_repeat_ngram_size", 0},
                                                                  {"repetition_penalty", 1},
                                                                  {"encoder_repetition_penalty", 1},
                                                                  {"min_length", 0},
                                                                  {"min_new_tokens", 0},
                                                                  {"num_beam_groups", 1},
                                                                  {"diversity_penalty", 0},
                                                                  {"forced_bos_token_id", nullptr},
                                                                  {"suppress_tokens", nullptr},
                                                                  {"begin_suppress_tokens", nullptr},
                                                                  {"sequence_bias", nullptr}};

// The search that transformers does with this model: the score is the mean log-probability of a token, and without a
// number of beams it takes the likeliest token.
DecodeConfig search_of(const HuggingFaceConfig& config, const HuggingFaceConfig& generation) {
  const auto of = [&](const char* key) -> const HuggingFaceConfig& {
    return generation.has(key) ? generation : config;
  };
  std::vector<std::string> others;
  for (const auto& [key, neutral] : kOtherSearches) {
    const Json value = of(key).get(key, neutral);
    if (value != neutral && !(value.is_structured() && value.empty()))
      others.push_back(fmt::format("{} ({})", key, dump_json(value)));
  }
  if (!others.empty()) {
    warn("{}: the search here has no {}, so that translations may differ from those of transformers",
         generation.path().string(), fmt::join(others, ", "));
  }
  const auto between = [&](const char* key, auto value, auto least, auto most) {
    const auto taken = std::clamp(value, least, most);
    if (taken != value) warn("{}: {} is {}, but becomes {} here", of(key).path().string(), key, value, taken);
    return taken;
  };
  DecodeConfig decode;
  decode.beam = between("num_beams", of("num_beams").get("num_beams", int64_t{1}), int64_t{1}, int64_t{1000});
  decode.length_penalty = between("length_penalty", of("length_penalty").get("length_penalty", 1.0), 0.0, 10.0);
  decode.length_offset = 0;
  decode.max_tokens = config.get<int64_t>("max_position_embeddings", 512);
  return decode;
}

fs::path expect_file(const fs::path& folder, const char* name) {
  if (!fs::exists(folder / name))
    fail("{} has no {}, which a folder of Hugging Face's Marian has", folder.string(), name);
  return folder / name;
}

fs::path find_weights(const fs::path& folder) {
  for (const char* name : {"model.safetensors", "pytorch_model.bin"}) {
    if (fs::exists(folder / name)) return folder / name;
  }
  for (const char* index : {"model.safetensors.index.json", "pytorch_model.bin.index.json"}) {
    if (!fs::exists(folder / index)) continue;
    fail(
        "{} has its weights in several files, which {} lists: they are read from one alone. Join them: python3 -c "
        "\"from transformers import AutoModelForSeq2SeqLM as M; M.from_pretrained('{}').save_pretrained('{}', "
        "max_shard_size='100GB')\"",
        folder.string(), index, folder.string(), folder.string());
  }
  fail("{} has neither model.safetensors nor pytorch_model.bin: its weights are missing", folder.string());
}

// What our export adds to the decoder's first position is the embedding of <s> (see export_huggingface.cpp).
void add_to_start(ForeignModel& model, const std::vector<float>& added) {
  const ModelConfig& config = model.config.model;
  const float factor = config.scale_embeddings ? std::sqrt(static_cast<float>(config.d_model)) : 1.0f;
  const bool shared = config.share_embeddings == Sharing::kAll;
  std::vector<float>& table = model.weights.at(shared ? "source.embedding" : "target.embedding");
  const auto row = static_cast<size_t>(model.target.start * config.d_model);
  for (size_t i = 0; i < added.size(); ++i) {
    if (added[i] != 0) table[row + i] += added[i] / factor;
  }
}

ForeignModel read_folder(const fs::path& folder) {
  ForeignModel model;
  const fs::path config_path = expect_file(folder, "config.json");
  const HuggingFaceConfig config(config_path);
  const fs::path generation_path = folder / "generation_config.json";
  const HuggingFaceConfig generation(fs::exists(generation_path) ? generation_path : config_path);
  model.config.model = shape_of(config);
  model.kind = model.config.model.norm == NormPlace::kPre ? "Hugging Face Pegasus" : "Hugging Face Marian";
  model.config.decode = search_of(config, generation);

  const int64_t source_rows = config.size("vocab_size", 100'000'000);
  const bool shared = config.get("share_encoder_decoder_embeddings", true);
  const int64_t target_rows = shared ? source_rows : config.get("decoder_vocab_size", source_rows);
  const fs::path weights = find_weights(folder);
  TensorMap tensors =
      weights.extension() == ".safetensors" ? read_safetensors_tensors(weights) : read_torch_tensors(weights);
  take_embeddings(tensors, shared, source_rows, target_rows, model);
  ModelConfig& shape = model.config.model;
  std::vector<float> added_first, added_to_start;
  shape.positions = check_positions(tensors, "model.encoder.embed_positions.weight", shape, added_first);
  if (check_positions(tensors, "model.decoder.embed_positions.weight", shape, added_to_start) != shape.positions) {
    fail("{}: encoder and decoder have different sinusoids, which cannot be imported", weights.string());
  }
  if (!std::all_of(added_first.begin(), added_first.end(), [](float x) { return std::abs(x) < 1e-3f; })) {
    fail("{}: the encoder's position 0 is not a sinusoid, which cannot be imported", weights.string());
  }
  take_layers(tensors, huggingface_names, false, model);
  tensors.expect_empty();

  const fs::path vocabulary = expect_file(folder, "vocab.json");
  const fs::path target_vocabulary = shared ? vocabulary : expect_file(folder, "target_vocab.json");
  const std::vector<std::string> pieces = read_vocabulary(vocabulary, source_rows);
  model.source = vocabulary_of(config, vocabulary, pieces, false, shared);
  model.target = vocabulary_of(config, target_vocabulary,
                               shared ? pieces : read_vocabulary(target_vocabulary, target_rows), true, shared);
  add_to_start(model, added_to_start);
  if (generation.get("renormalize_logits", false)) model.source.start_counts = model.target.start_counts = false;
  model.source_model = expect_file(folder, "source.spm");
  model.target_model = expect_file(folder, "target.spm");
  model.files = {config_path, weights, vocabulary, model.source_model, model.target_model};
  if (!shared) model.files.push_back(target_vocabulary);
  if (fs::exists(generation_path)) model.files.push_back(generation_path);
  return model;
}

}  // namespace

ForeignModel read_huggingface_marian(const fs::path& folder) {
  try {
    return read_folder(folder);
  } catch (const nlohmann::json::exception& error) {  // a value of another type
    fail("a JSON file of {} is damaged or has a value of an unexpected type: {}", folder.string(), error.what());
  }
}

}  // namespace verbund
