// SPDX-License-Identifier: Apache-2.0
// Both classes start decoding with <pad>, the last row, which Marian and CTranslate2 take for zeros. Our
// <s> has an embedding; it is only ever at position 0, so it is added to the decoder's position code 0 instead.
#include "interop/export_huggingface.h"

#include <algorithm>
#include <cmath>

#include "checkpoint/checkpoint_format.h"
#include "core/error.h"
#include "core/file.h"
#include "core/json.h"
#include "core/plain_path.h"
#include "interop/foreign_vocabulary.h"
#include "interop/layer_parts.h"
#include "model/position_codes.h"

namespace verbund {
namespace {

constexpr int64_t kMaxPositions = 1024;
constexpr double kEpsilonOfTheClass = 1e-5;

// MarianMTModel has norms after each sublayer; Pegasus has the same parts with norms before them and a last one.
bool is_pegasus(const ModelConfig& config) { return config.norm == NormPlace::kPre; }

void check_representable(const ModelConfig& config) {
  const char* name = is_pegasus(config) ? "Pegasus" : "Marian";
  if (std::abs(config.norm_epsilon - kEpsilonOfTheClass) > 1e-9) {
    fail(
        "model.norm_epsilon is {}, but Hugging Face's {} class has 1e-5: the translations would not be the same. "
        "Train (or fine-tune for some steps) with --set model.norm_epsilon=1e-5, or use --format ctranslate2",
        config.norm_epsilon, name);
  }
  if (is_pegasus(config) && config.share_embeddings != Sharing::kAll) {
    fail(
        "model.norm is pre, and the class of transformers with such norms, Pegasus, shares one embedding between "
        "source, target and output. Train with --set model.share_embeddings=all or --set model.norm=post, or use "
        "--format ctranslate2");
  }
}

const char* activation_name(Activation activation) {
  switch (activation) {
    case Activation::kRelu:
      return "relu";
    case Activation::kSwish:
      return "swish";
    case Activation::kGelu:
      return "gelu";
  }
  return "";
}

// The ids of Hugging Face's vocabulary: </s>, <unk>, the pieces, and <pad> at the end. Its class wants as many of the
// source as of the target: rows without a piece fill up the smaller vocabulary.
class HuggingFaceIds {
 public:
  HuggingFaceIds(const Subwords& subwords, size_t max_pieces) : subwords_(subwords), max_pieces_(max_pieces) {
    ours_ = {kEndOfSentence, kUnknown};
    for (size_t id = kUnknown + 1; id < subwords.size(); ++id) ours_.push_back(static_cast<TokenId>(id));
    for (const TokenId id : ours_) rows_.push_back(trained_row(id));
  }

  int64_t size() const { return static_cast<int64_t>(max_pieces_) - 1; }  // without <pad> and <s>, with <pad>
  int64_t pad() const { return size() - 1; }
  int64_t pieces() const { return static_cast<int64_t>(ours_.size()); }

  Json vocabulary() const {
    Json json = Json::object();
    for (size_t i = 0; i < ours_.size(); ++i) json[subwords_.piece(ours_[i])] = i;
    for (int64_t i = pieces(); i < pad(); ++i) json[fmt::format("<row {}>", i)] = i;
    json["<pad>"] = pad();
    return json;
  }
  std::vector<float> rows(std::span<const float> table, int64_t width) const {
    std::vector<float> result;
    for (const TokenId id : rows_) {
      const auto row = table.subspan(static_cast<size_t>(id * width), static_cast<size_t>(width));
      result.insert(result.end(), row.begin(), row.end());
    }
    result.resize(static_cast<size_t>(size() * width));
    return result;
  }

 private:
  // Hugging Face's tokenizer looks up a language code at the start of a text, such as >>de<<, as it is written; here
  // the piece that training has seen there has a word start.
  TokenId trained_row(TokenId id) const {
    if (!subwords_.is_code(id)) return id;
    const std::vector<TokenId> at_start = subwords_.encode(subwords_.piece(id));
    return at_start.size() == 1 ? at_start.front() : id;
  }

  const Subwords& subwords_;
  size_t max_pieces_;
  std::vector<TokenId> ours_;  // by id there
  std::vector<TokenId> rows_;  // what is written for each of `ours_`
};

class HuggingFaceTensors {
 public:
  HuggingFaceTensors(const TrainedModel& trained, const HuggingFaceIds& source, const HuggingFaceIds& target)
      : config_(trained.config.model), model_(*trained.model), values_(model_.weights().values()) {
    add_embeddings(source, target);
    for (const LayerPart& part : layer_parts(config_)) add_part(part);
  }

  std::vector<TensorView> views() const {
    std::vector<TensorView> all;
    for (const auto& [name, tensor] : tensors_) all.push_back(view_tensor<float>(name, tensor.shape, tensor.values));
    return all;
  }

 private:
  struct Tensor {
    std::vector<int64_t> shape;
    std::vector<float> values;
  };

  // Part `number` of a parameter that holds several, one below the other; zeros if the model has none.
  std::vector<float> values_of(const std::string& name, int64_t size, int64_t number) const {
    if (!model_.table().has(name)) return std::vector<float>(static_cast<size_t>(size));
    const int64_t begin = model_.table().find(name).offset + number * size;
    const auto found = values_.values().subspan(static_cast<size_t>(begin), static_cast<size_t>(size));
    return {found.begin(), found.end()};
  }
  std::span<const float> whole(const std::string& name) const {
    const Parameter& parameter = model_.table().find(name);
    return values_.values().subspan(static_cast<size_t>(parameter.offset), static_cast<size_t>(parameter.size));
  }

  void add_part(const LayerPart& part) {
    const std::string theirs = huggingface_name(part);
    if (part.is_norm()) {
      tensors_[theirs + ".weight"] = {{part.out}, values_of(part.ours + ".scale", part.out, part.number)};
    } else {
      tensors_[theirs + ".weight"] = {{part.out, part.in},
                                      values_of(part.ours + ".weight", part.out * part.in, part.number)};
    }
    tensors_[theirs + ".bias"] = {{part.out}, values_of(part.ours + ".bias", part.out, part.number)};
  }

  void add_embeddings(const HuggingFaceIds& source, const HuggingFaceIds& target) {
    const int64_t d = config_.d_model;
    const bool shared = config_.share_embeddings == Sharing::kAll;
    const std::string target_table = shared ? "source.embedding" : "target.embedding";
    if (shared) {
      tensors_["model.shared.weight"] = {{source.size(), d}, source.rows(whole("source.embedding"), d)};
    } else {
      tensors_["model.encoder.embed_tokens.weight"] = {{source.size(), d}, source.rows(whole("source.embedding"), d)};
      tensors_["model.decoder.embed_tokens.weight"] = {{target.size(), d}, target.rows(whole(target_table), d)};
    }
    if (config_.share_embeddings == Sharing::kNone) {
      tensors_["lm_head.weight"] = {{target.size(), d}, target.rows(whole("output.weight"), d)};
    }
    std::vector<float> bias(static_cast<size_t>(target.size()));
    if (config_.output_bias) bias = target.rows(whole("output.bias"), 1);
    std::fill(bias.begin() + target.pieces(), bias.end(), kNoProbability);
    tensors_["final_logits_bias"] = {{1, target.size()}, std::move(bias)};

    std::vector<float> codes = position_codes(config_.positions, kMaxPositions, d);
    tensors_["model.encoder.embed_positions.weight"] = {{kMaxPositions, d}, codes};
    const auto start = whole(target_table).subspan(static_cast<size_t>(kStartOfSentence * d), static_cast<size_t>(d));
    const float factor = config_.scale_embeddings ? std::sqrt(static_cast<float>(d)) : 1.0f;
    for (size_t i = 0; i < start.size(); ++i) codes[i] += factor * start[i];
    tensors_["model.decoder.embed_positions.weight"] = {{kMaxPositions, d}, std::move(codes)};
  }

  const ModelConfig& config_;
  DecodableModel& model_;
  HostCopy values_;
  std::map<std::string, Tensor> tensors_;
};

Json config_json(const ModelConfig& config, const HuggingFaceIds& source, const HuggingFaceIds& target) {
  const bool shared = config.share_embeddings == Sharing::kAll;
  return {{"architectures", {is_pegasus(config) ? "PegasusForConditionalGeneration" : "MarianMTModel"}},
          {"model_type", is_pegasus(config) ? "pegasus" : "marian"},
          {"is_encoder_decoder", true},
          {"normalize_before", is_pegasus(config)},  // these four are for CTranslate2's converter
          {"normalize_embedding", false},
          {"add_final_layer_norm", is_pegasus(config)},
          {"static_position_embeddings", true},
          {"d_model", config.d_model},
          {"encoder_layers", config.encoder_layers},
          {"decoder_layers", config.decoder_layers},
          {"encoder_attention_heads", config.heads},
          {"decoder_attention_heads", config.heads},
          {"encoder_ffn_dim", config.d_ff},
          {"decoder_ffn_dim", config.d_ff},
          {"activation_function", activation_name(config.activation)},
          {"dropout", config.dropout},
          {"attention_dropout", config.attention_dropout},
          {"activation_dropout", config.relu_dropout},
          {"scale_embedding", config.scale_embeddings},
          {"share_encoder_decoder_embeddings", shared},
          {"tie_word_embeddings", config.share_embeddings != Sharing::kNone},
          {"max_position_embeddings", kMaxPositions},
          {"vocab_size", source.size()},
          {"decoder_vocab_size", target.size()},
          {"pad_token_id", source.pad()},
          {"eos_token_id", 0},
          {"decoder_start_token_id", target.pad()},
          {"forced_eos_token_id", nullptr},
          {"dtype", "float32"}};
}

Json generation_json(const DecodeConfig& decode, const HuggingFaceIds& target) {
  return {{"num_beams", decode.beam},
          {"length_penalty", decode.length_offset == 0 ? decode.length_penalty : 1.0},
          {"max_length", 512},
          {"bad_words_ids", {{target.pad()}}},
          {"decoder_start_token_id", target.pad()},
          {"eos_token_id", 0},
          {"pad_token_id", target.pad()}};
}

void write_json(const fs::path& path, const Json& json) { write_file(path, dump_json(json, 2) + "\n"); }

}  // namespace

void export_to_huggingface(const TrainedModel& trained, const fs::path& out, const std::string& program) {
  const ModelConfig& config = trained.config.model;
  check_representable(config);
  const fs::path folder = plain_path(out);
  if (fs::exists(fs::symlink_status(folder)))
    fail("{} exists already: choose another --out, or remove it", out.string());
  const bool shared = config.share_embeddings == Sharing::kAll;
  const size_t pieces = std::max(trained.source.size(), trained.target.size());
  const HuggingFaceIds source(trained.source, pieces), target(trained.target, pieces);
  const HuggingFaceTensors tensors(trained, source, target);
  const PartialFolder partial(folder);
  const fs::path& content = partial.path();
  write_safetensors(content / "model.safetensors", tensors.views(), {{"format", "pt"}});
  write_json(content / "config.json", config_json(config, source, target));
  write_json(content / "generation_config.json", generation_json(trained.config.decode, target));
  write_json(content / "vocab.json", source.vocabulary());
  if (!shared) write_json(content / "target_vocab.json", target.vocabulary());
  write_json(content / "tokenizer_config.json", {{"tokenizer_class", "MarianTokenizer"},
                                                 {"separate_vocabs", !shared},
                                                 {"model_max_length", 512},
                                                 {"eos_token", "</s>"},
                                                 {"unk_token", "<unk>"},
                                                 {"pad_token", "<pad>"}});
  write_file(content / "source.spm", read_file(trained.source_vocabulary));
  write_file(content / "target.spm", read_file(trained.target_vocabulary));
  write_file(content / "README.md", model_card(trained, program));
  partial.publish();
}

}  // namespace verbund
