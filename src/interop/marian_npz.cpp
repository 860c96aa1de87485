// SPDX-License-Identifier: Apache-2.0
// Models of Marian: model.npz, whose special:model.yml has the settings, with SentencePiece vocabularies (.spm), or
// with vocabularies in YAML beside source.spm and target.spm.
#include <algorithm>
#include <charconv>
#include <set>

#include "config/value.h"
#include "core/error.h"
#include "interop/foreign_model.h"
#include "text/subwords.h"

namespace verbund {
namespace {

constexpr const char* kSettings = "special:model.yml";
constexpr YamlLimits kLargestVocabulary = {.values = 1'000'000, .bytes = 10'000'000};

// The settings of a YAML file as Marian writes it: scalars and lists of scalars.
class MarianSettings {
 public:
  MarianSettings(const std::string& text, const std::string& where) : where_(where), value_(parse_yaml(text, where)) {}

  const Value* find(const std::string& key) const {
    for (const Value::Member& member : value_.map) {
      if (member.key == key) return &member.value;
    }
    return nullptr;
  }
  std::string text(const std::string& key, const std::string& otherwise) const {
    const Value* value = find(key);
    if (value == nullptr || value->kind == Value::Kind::kNull) return otherwise;
    if (value->kind != Value::Kind::kScalar) refuse(key, "a single value is expected");
    return value->scalar;
  }
  int64_t size(const std::string& key, int64_t max) const {
    const int64_t value = whole(key, text(key, "0"));
    if (value < 1 || value > max) refuse(key, fmt::format("it must be between 1 and {}", max));
    return value;
  }
  bool is_set(const std::string& key) const { return text(key, "false") == "true"; }
  std::vector<std::string> list(const std::string& key) const {
    std::vector<std::string> items;
    if (const Value* value = find(key)) {
      for (const Value& item : value->list) items.push_back(item.scalar);
    }
    return items;
  }
  void require(const std::string& key, const std::string& expected, const char* why) const {
    if (text(key, expected) != expected) refuse(key, why);
  }
  [[noreturn]] void refuse(const std::string& key, const std::string& why) const {
    const Value* value = find(key);
    fail("{}: {} is {}, which cannot be imported: {}", where_, key,
         value == nullptr                      ? "missing"
         : value->kind == Value::Kind::kScalar ? "\"" + value->scalar + "\""
                                               : "a list",
         why);
  }

 private:
  int64_t whole(const std::string& key, const std::string& word) const {
    int64_t number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc() || end != word.data() + word.size()) refuse(key, "a whole number is expected");
    return number;
  }

  std::string where_;
  Value value_;
};

// The steps around a sublayer (dropout, add, norm) in their order, without dropout.
std::string steps_of(const MarianSettings& settings, const char* key, const char* otherwise) {
  std::string steps = settings.text(key, otherwise);
  std::erase(steps, 'd');
  return steps;
}

NormPlace norm_of(const MarianSettings& settings) {
  const std::string before = steps_of(settings, "transformer-preprocess", ""),
                    after = steps_of(settings, "transformer-postprocess", "dan"),
                    top = steps_of(settings, "transformer-postprocess-top", "");
  if (!before.empty() && before != "n") settings.refuse("transformer-preprocess", "only n is supported");
  const bool pre = before == "n";
  if (after != (pre ? "a" : "an")) {
    settings.refuse("transformer-postprocess", "only dan, or da with preprocess n, is supported");
  }
  if (top != before) {
    settings.refuse("transformer-postprocess-top", "norms before each sublayer need one at the top, others have none");
  }
  if (!steps_of(settings, "transformer-postprocess-emb", "d").empty()) {
    settings.refuse("transformer-postprocess-emb", "only dropout of the embeddings is supported");
  }
  return pre ? NormPlace::kPre : NormPlace::kPost;
}

Activation activation_of(const MarianSettings& settings) {
  const std::string name = settings.text("transformer-ffn-activation", "swish");
  if (name == "relu") return Activation::kRelu;
  if (name == "swish") return Activation::kSwish;
  settings.refuse("transformer-ffn-activation",
                  "only relu and swish are supported (Marian's gelu is an approximation)");
}

double share(const MarianSettings& settings, const char* key) {
  const double value = std::strtod(settings.text(key, "0").c_str(), nullptr);
  return value >= 0 && value <= 0.9 ? value : 0;
}

ModelConfig shape_of(const MarianSettings& settings) {
  settings.require("type", "transformer", "only transformer is supported");
  settings.require("transformer-decoder-autoreg", "self-attention", "only self-attention is supported");
  settings.require("transformer-ffn-depth", "2", "only 2 layers are supported");
  for (const char* flag :
       {"transformer-train-position-embeddings", "transformer-disable-position-embeddings", "transformer-alibi-shift",
        "transformer-no-bias", "transformer-no-affine", "transformer-no-projection", "transformer-pool",
        "transformer-rnn-projection", "ulr", "right-left", "output-omit-bias", "tied-embeddings-src"}) {
    settings.require(flag, "false", "it is not supported");
  }
  settings.require("transformer-attention-mask", "default", "only default is supported");
  settings.require("lemma-dim-emb", "0", "factors are not supported");
  if (!settings.list("transformer-tied-layers").empty())
    settings.refuse("transformer-tied-layers", "it is not supported");
  if (!settings.list("input-types").empty()) settings.refuse("input-types", "other inputs than text are not supported");
  ModelConfig model;
  model.encoder_layers = settings.size("enc-depth", 100);
  model.decoder_layers = settings.size("dec-depth", 100);
  model.d_model = settings.size("dim-emb", 16384);
  model.heads = settings.size("transformer-heads", 256);
  model.d_ff = settings.size("transformer-dim-ffn", 65536);
  if (model.d_model % 2 != 0 || model.d_model % model.heads != 0) {
    settings.refuse("dim-emb", "it must be even and a multiple of transformer-heads");
  }
  for (const char* key : {"transformer-decoder-dim-ffn", "transformer-decoder-ffn-depth"}) {
    if (settings.text(key, "0") != "0") settings.refuse(key, "the decoder must be like the encoder");
  }
  model.activation = activation_of(settings);
  model.norm = norm_of(settings);
  model.attention_bias = model.ff_bias = model.output_bias = true;
  model.dropout = share(settings, "transformer-dropout");
  model.attention_dropout = share(settings, "transformer-dropout-attention");
  model.relu_dropout = share(settings, "transformer-dropout-ffn");
  model.share_embeddings = settings.is_set("tied-embeddings-all") ? Sharing::kAll
                           : settings.is_set("tied-embeddings")   ? Sharing::kTarget
                                                                  : Sharing::kNone;
  return model;
}

NameParts marian_names(NormPlace norm) {
  return [norm](const LayerPart& part) -> PartNames {
    if (part.layer == LayerPart::kLastNorm) return {part.side + "_top_ln_scale", part.side + "_top_ln_bias"};
    const size_t dot = part.name.find('.');
    const std::string sublayer = part.name.substr(0, dot), what = part.name.substr(dot + 1);
    const std::string name = sublayer == "cross" ? "context" : sublayer == "ff" ? "ffn" : "self";
    const std::string prefix = fmt::format("{}_l{}_{}", part.side, part.layer + 1, name);
    if (what == "norm") {
      const std::string norms = prefix + (sublayer == "ff" ? "_ffn_ln_" : "_Wo_ln_");
      const std::string ending = norm == NormPlace::kPre ? "_pre" : "";
      return {norms + "scale" + ending, norms + "bias" + ending};
    }
    const std::string letter = what == "out" ? (sublayer == "ff" ? "2" : "o") : what == "in" ? "1" : what;
    return {prefix + "_W" + letter, prefix + "_b" + letter};
  };
}

void take_embeddings(TensorMap& tensors, ForeignModel& model) {
  const int64_t d = model.config.model.d_model;
  const Sharing sharing = model.config.model.share_embeddings;
  const auto take_table = [&](const std::string& name) {
    const std::vector<int64_t> shape = tensors.at(name).shape;
    if (shape.size() != 2) fail("{} is {}: a matrix is expected", name, show_shape(shape));
    return tensors.take(name, {shape[0], d});
  };
  auto& weights = model.weights;
  if (sharing == Sharing::kAll) {
    weights["source.embedding"] = weights["target.embedding"] = take_table("Wemb");
  } else {
    weights["source.embedding"] = take_table("encoder_Wemb");
    weights["target.embedding"] = take_table("decoder_Wemb");
  }
  const auto rows = static_cast<int64_t>(weights["target.embedding"].size()) / d;
  if (sharing == Sharing::kNone) {
    weights["output.weight"] = tensors.take_transposed("decoder_ff_logit_out_W", d, rows);
  }
  model.output_bias = tensors.take("decoder_ff_logit_out_b", {rows});
}

// The pieces by id: those of a SentencePiece model, or of a YAML file "piece: id".
std::vector<std::string> read_pieces_of(const fs::path& path) {
  if (path.extension() == ".spm") check_subword_model(path);
  const std::string bytes = read_file(path);
  if (path.extension() == ".spm") return pieces_of(bytes);
  const Value value = parse_yaml(bytes, path.string(), kLargestVocabulary);
  std::vector<std::string> pieces(value.map.size());
  for (const Value::Member& member : value.map) {
    size_t id = 0;
    const std::string& word = member.value.scalar;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), id);
    if (error != std::errc() || end != word.data() + word.size() || id >= pieces.size() || !pieces[id].empty()) {
      fail("{}: the id of \"{}\" is \"{}\", but each must be a number below {}, and no two the same", path.string(),
           member.key, word, pieces.size());
    }
    pieces[id] = member.key;
  }
  return pieces;
}

ForeignVocabulary vocabulary_of(const fs::path& path, int64_t rows) {
  ForeignVocabulary vocabulary;
  vocabulary.pieces = read_pieces_of(path);
  if (static_cast<int64_t>(vocabulary.pieces.size()) > rows) {
    fail("{} has {} pieces, but the embeddings have {} rows", path.string(), vocabulary.pieces.size(), rows);
  }
  vocabulary.pieces.resize(static_cast<size_t>(rows));
  const auto find = [&](const char* piece) {
    const auto at = std::find(vocabulary.pieces.begin(), vocabulary.pieces.end(), piece);
    if (at == vocabulary.pieces.end()) fail("{} has no piece {}", path.string(), piece);
    return at - vocabulary.pieces.begin();
  };
  vocabulary.end = find("</s>");
  vocabulary.unknown = find("<unk>");
  return vocabulary;
}

struct MarianFiles {
  fs::path model;
  std::vector<fs::path> settings;  // decoder.yml before those that Marian has written
};

MarianFiles find_files(const fs::path& path) {
  MarianFiles files;
  if (!fs::is_directory(path)) {
    files.model = path;
    const fs::path folder = path.parent_path(), model = path.filename();
    for (const fs::path& name : {fs::path("decoder.yml"), fs::path(model.string() + ".decoder.yml"),
                                 fs::path(model.string() + ".yml"), fs::path("config.yml")}) {
      if (fs::exists(folder / name)) files.settings.push_back(folder / name);
    }
    return files;
  }
  const fs::path& folder = path;
  std::vector<fs::path> models;
  for (const fs::path& file : list_folder(folder)) {
    if (file.extension() == ".npz" && !file.string().ends_with(".optimizer.npz")) models.push_back(file);
  }
  if (models.size() != 1) fail("{} has {} files *.npz: give the one to import", folder.string(), models.size());
  return find_files(models.front());
}

[[noreturn]] void refuse_vocabularies(const fs::path& place, const std::vector<fs::path>& found) {
  std::vector<std::string> names;
  for (const fs::path& path : found) names.push_back(path.filename().string());
  fail(
      "{} has the vocabularies [{}], where one of the source and one of the target are needed: put a decoder.yml with "
      "\"vocabs: [source.spm, target.spm]\" beside the model",
      place.string(), fmt::join(names, ", "));
}

// The vocabularies that the first file of settings names, relative to it.
std::vector<fs::path> named_vocabularies(const MarianFiles& files) {
  const fs::path folder = files.model.parent_path();
  const fs::path& file = files.settings.front();
  const MarianSettings settings(read_file(file), file.string());
  std::vector<fs::path> found;
  for (const std::string& name : settings.list("vocabs")) {
    const fs::path beside = folder / fs::path(name).filename();
    found.push_back(fs::exists(folder / name) ? folder / name : beside);
  }
  if (found.size() != 2) refuse_vocabularies(file, found);
  for (const fs::path& path : found) {
    if (fs::exists(path)) continue;
    fail("{} names the vocabulary {}, which is not there: put it beside the model", file.string(),
         path.filename().string());
  }
  return found;
}

// Without a decoder.yml: source.spm and target.spm, or a single one for both sides.
std::vector<fs::path> vocabularies_beside(const fs::path& folder) {
  const fs::path source = folder / "source.spm", target = folder / "target.spm";
  if (fs::exists(source) && fs::exists(target)) return {source, target};
  std::vector<fs::path> found;
  for (const fs::path& file : list_folder(folder)) {
    if (file.extension() == ".spm") found.push_back(file);
  }
  if (found.size() != 1) refuse_vocabularies(folder, found);
  return {found.front(), found.front()};
}

void check_one_vocabulary(const ForeignModel& model, const std::vector<fs::path>& vocabularies) {
  if (model.config.model.share_embeddings != Sharing::kAll || model.source.pieces == model.target.pieces) return;
  fail("tied-embeddings-all needs one vocabulary for both sides, but {} and {} have different pieces",
       vocabularies[0].string(), vocabularies[1].string());
}

DecodeConfig search_of(const MarianFiles& files) {
  DecodeConfig decode;
  decode.length_offset = 0;
  decode.length_penalty = 1;
  decode.max_tokens = 512;
  if (files.settings.empty()) return decode;
  decode.length_penalty = 0;  // which is what Marian does without `normalize`
  // From the first file that has the key: a decoder.yml may name the vocabularies alone.
  std::set<std::string> found;
  for (const fs::path& file : files.settings) {
    const MarianSettings settings(read_file(file), file.string());
    const auto is_first_with = [&](const char* key) {
      return settings.find(key) != nullptr && found.insert(key).second;
    };
    const auto number = [&](const char* key) { return std::strtod(settings.text(key, "0").c_str(), nullptr); };
    if (is_first_with("beam-size")) decode.beam = settings.size("beam-size", 1000);
    if (is_first_with("word-penalty") && number("word-penalty") != 0) {
      settings.refuse("word-penalty", "only 0 is supported");
    }
    if (is_first_with("normalize")) decode.length_penalty = std::clamp(number("normalize"), 0.0, 10.0);
  }
  return decode;
}

}  // namespace

ForeignModel read_marian_npz(const fs::path& path) {
  const MarianFiles files = find_files(fs::absolute(path));
  std::map<std::string, std::string> texts;
  TensorMap tensors = read_npz_tensors(files.model, texts);
  if (!texts.contains(kSettings)) fail("{} has no {}: it is not a model of Marian", files.model.string(), kSettings);
  std::string text = texts.at(kSettings);
  text.erase(std::find(text.begin(), text.end(), '\0'), text.end());
  ForeignModel model;
  model.kind = "Marian";
  model.config.model = shape_of(MarianSettings(text, fmt::format("{} of {}", kSettings, files.model.string())));
  model.config.decode = search_of(files);
  take_embeddings(tensors, model);
  take_layers(tensors, marian_names(model.config.model.norm), true, model);
  tensors.expect_empty();

  const std::vector<fs::path> vocabularies =
      files.settings.empty() ? vocabularies_beside(files.model.parent_path()) : named_vocabularies(files);
  const int64_t d = model.config.model.d_model;
  const auto rows = [&](const char* name) { return static_cast<int64_t>(model.weights.at(name).size()) / d; };
  model.source = vocabulary_of(vocabularies[0], rows("source.embedding"));
  model.target = vocabulary_of(vocabularies[1], rows("target.embedding"));
  check_one_vocabulary(model, vocabularies);
  model.files = {files.model, vocabularies[0], vocabularies[1]};
  const fs::path folder = files.model.parent_path();
  const auto model_beside = [&](const fs::path& vocabulary, const char* name) {
    if (vocabulary.extension() == ".spm") return vocabulary;
    if (!fs::exists(folder / name)) {
      fail("{} names pieces, but not how to cut text into them: put the SentencePiece model {} beside it",
           vocabulary.string(), name);
    }
    model.files.push_back(folder / name);
    return folder / name;
  };
  model.source_model = model_beside(vocabularies[0], "source.spm");
  model.target_model = model_beside(vocabularies[1], "target.spm");
  return model;
}

}  // namespace verbund
