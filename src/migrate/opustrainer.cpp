// SPDX-License-Identifier: Apache-2.0
#include "migrate/opustrainer.h"

#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <vector>

#include "config/number.h"
#include "config/source_name.h"
#include "core/error.h"
#include "core/json.h"
#include "migrate/converted_config.h"

namespace verbund {
namespace {

constexpr const char* kModifiersReason =
    "text is changed before training, not during it: change the corpus, or give it a tag with prepare";

const Value* find_member(const Value& map, const std::string& name) {
  for (const auto& [key, value] : map.map) {
    if (key == name) return &value;
  }
  return nullptr;
}

// Our names of datasets by OpusTrainer's.
using Names = std::map<std::string, std::string>;

Names names_of(const Value& datasets, ConvertedConfig& config) {
  Names names;
  std::set<std::string> taken;
  for (const auto& [name, files] : datasets.map) {
    if (is_source_name(name)) taken.insert(name);
  }
  for (const auto& [name, files] : datasets.map) {
    std::string& ours = names[name] = name;
    if (is_source_name(name)) continue;
    const std::string allowed = as_source_name(name);
    ours = allowed;
    for (int number = 2; !taken.insert(ours).second; ++number) ours = fmt::format("{}-{}", allowed, number);
    config.remark(comment_text("datasets: " + name),
                  fmt::format("is {} here: names have letters, digits, _ . and - alone", ours));
  }
  return names;
}

// Quoted as in JSON, which is YAML, too.
std::string quoted(const std::string& text) { return dump_json(text); }

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> result;
  for (std::string word; stream >> word;) result.push_back(word);
  return result;
}

// "[UpperCase: 0.05, Tags: ...]": the names.
void remark_modifiers(const Value& modifiers, const std::string& of, ConvertedConfig& config) {
  for (const Value& item : modifiers.list) {
    const std::string name = item.map.empty() ? item.scalar : item.map.front().key;
    const std::string share = item.map.empty() ? "" : ": " + item.map.front().value.scalar;
    config.remark(comment_text(fmt::format("{}modifiers: {}{}", of, name, share)), kModifiersReason);
  }
}

// The epochs of "until clean 2"; none for "inf".
std::optional<int64_t> epochs_of(const Value& line, const std::string& word) {
  if (word == "inf") return std::nullopt;
  int64_t epochs = 0;
  if (parse_whole(word, epochs) != WholeNumber::kRead || epochs < 1) {
    fail_usage("{}: \"{}\": a stage lasts for 1 or more epochs, or inf; leave out one that draws nothing", line.where,
               line.scalar);
  }
  return epochs;
}

// "clean 0.8", "until clean 2" -> "{name: start, weights: {clean: 0.8}, epochs: 2, of: clean}"
std::string stage_text(const std::string& name, const Value& mix, const Names& names, ConvertedConfig& config) {
  std::string weights, end, ends_with;
  std::set<std::string> drawn;
  for (const Value& line : mix.list) {
    const std::vector<std::string> parts = words(line.scalar);
    double number = 0;
    const bool is_until = parts.size() == 3 && parts[0] == "until";
    const bool is_weight = parts.size() == 2 && parse_real(parts[1], number);
    if (!is_until && !is_weight) {
      fail_usage("{}: \"{}\" is neither a weight (clean 0.8) nor an end (until clean 2)", line.where, line.scalar);
    }
    const std::string& corpus = is_until ? parts[1] : parts[0];
    const auto ours = names.find(corpus);
    if (ours == names.end()) {
      fail_usage("{}: stage {} names {}, which is not one of the datasets", line.where, name, corpus);
    }
    if (is_weight) {
      if (number <= 0) continue;
      weights += fmt::format("{}{}: {}", weights.empty() ? "" : ", ", quoted(ours->second), parts[1]);
      drawn.insert(corpus);
    } else if (const auto epochs = epochs_of(line, parts[2])) {
      end = fmt::format(", epochs: {}, of: {}", *epochs, quoted(ours->second));
      ends_with = corpus;
    } else {
      config.remark(comment_text(fmt::format("{}: {}", name, line.scalar)),
                    "the stage continues until train.max_steps");
    }
  }
  if (weights.empty()) fail_usage("{}: stage {} draws nothing: give one dataset a weight above 0", mix.where, name);
  if (!ends_with.empty() && !drawn.contains(ends_with)) {
    fail_usage("{}: stage {} ends with {}, of which it draws nothing: give it a weight above 0", mix.where, name,
               ends_with);
  }
  return fmt::format("{{name: {}, weights: {{{}}}{}}}", quoted(name), weights, end);
}

void convert_stages(const Value& file, const Names& names, ConvertedConfig& config) {
  const Value* stages = find_member(file, "stages");
  if (stages == nullptr || stages->list.empty()) {
    fail_usage("{}: there are no stages: it is not a file of OpusTrainer, which lists them in `stages`", file.where);
  }
  std::string list;
  for (const Value& stage : stages->list) {
    const Value* content = find_member(file, stage.scalar);
    if (content == nullptr) fail_usage("{}: stage {} is listed, but not described", stage.where, stage.scalar);
    const Value* mix = content->kind == Value::Kind::kMap ? find_member(*content, "mix") : content;
    if (mix == nullptr) fail_usage("{}: stage {} has no mix", content->where, stage.scalar);
    list += "\n    - " + stage_text(stage.scalar, *mix, names, config);
    if (const Value* modifiers = find_member(*content, "modifiers")) {
      remark_modifiers(*modifiers, stage.scalar + ".", config);
    }
  }
  config.set("mixture.stages", list, "stages");
}

// The files of a dataset: OpusTrainer reads one; a list can mean nothing but all of them.
std::string texts_of(const std::string& name, const Value& files, const fs::path& folder) {
  const bool single = files.kind != Value::Kind::kList;
  std::string texts;
  for (const Value& file : single ? std::vector{files} : files.list) {
    if (file.kind != Value::Kind::kScalar || file.scalar.empty()) {
      fail_usage("{}: dataset {} must be a file of pairs, or a list of such files", file.where, name);
    }
    const fs::path path = (folder / file.scalar).lexically_normal();
    texts += fmt::format("{}{{tsv: {}}}", texts.empty() ? "" : ", ", quoted(path.string()));
  }
  if (texts.empty()) fail_usage("{}: dataset {} has no file", files.where, name);
  return texts;
}

void convert_datasets(const Value& datasets, const Names& names, const fs::path& folder, ConvertedConfig& config) {
  std::string list;
  for (const auto& [name, files] : datasets.map) {
    list += fmt::format("\n    - {{name: {}, train: [{}]}}", quoted(names.at(name)), texts_of(name, files, folder));
  }
  config.set("corpus.sources", list, "datasets, for prepare");
}

bool is_stage(const Value& file, const std::string& key) {
  const Value* stages = find_member(file, "stages");
  for (const Value& stage : stages->list) {
    if (stage.scalar == key) return true;
  }
  return false;
}

}  // namespace

std::string convert_opustrainer(const Value& file, const fs::path& folder) {
  ConvertedConfig config;
  const Value* datasets = find_member(file, "datasets");
  if (datasets == nullptr || datasets->map.empty()) {
    fail_usage("{}: there are no datasets: it is not a file of OpusTrainer, which names them in `datasets`",
               file.where);
  }
  if (const Value* version = find_member(file, "version"); version != nullptr && version->scalar != "1") {
    fail_usage("{}: version is {}, but 1 is the only one that is known", version->where, version->scalar);
  }
  const Names names = names_of(*datasets, config);
  convert_stages(file, names, config);
  convert_datasets(*datasets, names, folder, config);
  for (const auto& [key, value] : file.map) {
    if (key == "seed") {
      config.set("seed", value.scalar, "seed");
    } else if (key == "modifiers") {
      remark_modifiers(value, "", config);
    } else if (key == "trainer") {
      config.remark(comment_text("trainer: " + value.scalar), "verbund train mixes and trains itself");
    } else if (key == "num_fields") {
      config.remark(comment_text("num_fields: " + value.scalar), "a pair has two sides; alignments are not used");
    } else if (key != "datasets" && key != "stages" && key != "version" && !is_stage(file, key)) {
      config.remark(comment_text(key), "is neither a key of OpusTrainer nor a stage that is listed");
    }
  }
  return config.yaml();
}

}  // namespace verbund
