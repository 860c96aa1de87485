// SPDX-License-Identifier: Apache-2.0
// Models of strangers to import: each of their text files and subword models, changed at random, is imported or
// refused.
#include "checkpoint/safetensors.h"
#include "core/json.h"
#include "interop/import_model.h"
#include "interop/layer_parts.h"
#include "support/made_subword_model.h"
#include "support/mutate.h"
#include "support/stored_zip.h"
#include "support/temporary_folder.h"
#include "text/subwords.h"

namespace verbund::mutated_imports_test {
namespace {

using namespace std::string_literals;

constexpr int64_t kWidth = 8, kInner = 16;
const std::vector<std::string> kVocabulary = {"</s>", "<unk>", "▁", "a", "b", "▁a", "é", ">>fra<<", "<pad>"};
constexpr int64_t kRows = 9;

ModelConfig small_model() {
  ModelConfig config;
  config.encoder_layers = config.decoder_layers = 1;
  config.d_model = kWidth;
  config.d_ff = kInner;
  config.norm = NormPlace::kPost;
  return config;
}

std::string subword_model() {
  return made_subword_model({{"▁", 1}, {"a", 1}, {"b", 1}, {"▁a", 1}, {"é", 1}}, made_table(made_trie(0), "b\0"s));
}

class MutatedImports : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directory(place_);
    for (const char* name : {"source.spm", "target.spm"}) write_file(place_ / name, subword_model());
  }

  // Imports the folder with each mutation of this file; what is imported reads text.
  void mutate_file(const std::string& name) {
    SCOPED_TRACE(name);
    const std::string whole = slurp(place_ / name);
    ASSERT_FALSE(whole.empty());
    import_whole();  // unchanged, it is a model
    mutate(whole, [&](const std::string& bytes) {
      write_file(place_ / name, bytes);
      import_whole();
    });
    write_file(place_ / name, whole);
  }

  void import_whole() const {
    const TemporaryFolder runs;
    import_model(place_, runs / "run", "test");
    Subwords(runs / "run" / "source.model").encode("a bAb é >>fra<< Aé");
  }

  TemporaryFolder folder_;
  fs::path place_ = folder_ / "model";
};

TEST_F(MutatedImports, OfHuggingFace) {
  std::vector<std::pair<std::string, std::vector<int64_t>>> shapes = {{"model.shared.weight", {kRows, kWidth}},
                                                                      {"final_logits_bias", {1, kRows}}};
  for (const LayerPart& part : layer_parts(small_model())) {
    const std::vector<int64_t> row = {part.out}, matrix = {part.out, part.in};
    shapes.push_back({huggingface_name(part) + ".weight", part.is_norm() ? row : matrix});
    shapes.push_back({huggingface_name(part) + ".bias", row});
  }
  const std::vector<float> values(kRows * kInner, 0.5f);
  std::vector<TensorView> tensors;
  for (const auto& [name, shape] : shapes) {
    const int64_t count = shape.size() == 1 ? shape[0] : shape[0] * shape[1];
    tensors.push_back(view_tensor<float>(name, shape, std::span(values).first(static_cast<size_t>(count))));
  }
  write_safetensors(place_ / "model.safetensors", tensors);
  Json vocabulary = Json::object();
  for (const std::string& piece : kVocabulary) vocabulary[piece] = vocabulary.size();
  write_file(place_ / "vocab.json", dump_json(vocabulary));
  write_file(place_ / "config.json",
             R"({"model_type": "marian", "encoder_layers": 1, "decoder_layers": 1, "d_model": 8,
                 "encoder_attention_heads": 2, "decoder_attention_heads": 2, "encoder_ffn_dim": 16, "decoder_ffn_dim": 16,
                 "activation_function": "swish", "dropout": 0.1, "scale_embedding": true, "vocab_size": 9,
                 "max_position_embeddings": 128, "eos_token_id": 0, "pad_token_id": 8, "decoder_start_token_id": 8})");
  write_file(place_ / "generation_config.json",
             R"({"num_beams": 4, "length_penalty": 1.0, "no_repeat_ngram_size": 0, "renormalize_logits": true})");
  for (const char* name : {"config.json", "generation_config.json", "vocab.json", "source.spm"}) mutate_file(name);
}

std::string array_file(const std::string& type, const std::vector<int64_t>& shape, const std::string& bytes) {
  const std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({},), }}\n", type, fmt::join(shape, ", "));
  return "\x93NUMPY\1\0"s + static_cast<char>(header.size()) + "\0"s + header + bytes;
}

TEST_F(MutatedImports, OfMarian) {
  std::vector<std::pair<std::string, std::string>> arrays;
  const auto add = [&](const std::string& name, const std::vector<int64_t>& shape) {
    const std::string half("\0\0\0\x3f", 4);
    std::string bytes;
    for (int64_t i = 0; i < shape[0] * shape[1]; ++i) bytes += half;
    arrays.push_back({name + ".npy", array_file("<f4", shape, bytes)});
  };
  const std::string settings =
      "type: transformer\ndim-emb: 8\ntransformer-dim-ffn: 16\ntransformer-heads: 2\nenc-depth: 1\ndec-depth: 1\n"
      "transformer-ffn-activation: relu\ntied-embeddings-all: true\n\0"s;
  arrays.push_back({"special:model.yml.npy", array_file("|i1", {static_cast<int64_t>(settings.size())}, settings)});
  add("Wemb", {kRows, kWidth});
  add("decoder_ff_logit_out_b", {1, kRows});
  for (const LayerPart& part : layer_parts(small_model())) {
    const size_t dot = part.name.find('.');
    const std::string sublayer = part.name.substr(0, dot), what = part.name.substr(dot + 1);
    const std::string prefix = part.side + "_l1_" +
                               (sublayer == "cross" ? "context"
                                : sublayer == "ff"  ? "ffn"
                                                    : "self") +
                               "_";
    if (part.is_norm()) {
      for (const char* ending : {"ln_scale", "ln_bias"})
        add(prefix + (sublayer == "ff" ? "ffn_" : "Wo_") + ending, {1, kWidth});
      continue;
    }
    const std::string letter = what == "in" ? "1" : what != "out" ? what : sublayer == "ff" ? "2" : "o";
    add(prefix + "W" + letter, {part.in, part.out});
    add(prefix + "b" + letter, {1, part.out});
  }
  write_file(place_ / "model.npz", stored_zip(arrays));
  std::string vocabulary;
  for (size_t id = 0; id < kVocabulary.size(); ++id) vocabulary += fmt::format("\"{}\": {}\n", kVocabulary[id], id);
  write_file(place_ / "joint.yml", vocabulary);
  write_file(place_ / "decoder.yml", "vocabs:\n  - joint.yml\n  - joint.yml\nbeam-size: 6\nnormalize: 0.6\n");
  for (const char* name : {"decoder.yml", "joint.yml", "target.spm"}) mutate_file(name);
}

}  // namespace
}  // namespace verbund::mutated_imports_test
