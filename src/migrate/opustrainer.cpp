// SPDX-License-Identifier: Apache-2.0
#include "migrate/opustrainer.h"

#include <sstream>

#include "config/number.h"
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

// "clean 0.8", "until clean 2" -> "{name: start, weights: {clean: 0.8}, epochs: 2, of: clean}"
std::string stage_text(const std::string& name, const Value& mix, const Value& datasets, ConvertedConfig& config) {
  std::string weights, end;
  for (const Value& line : mix.list) {
    const std::vector<std::string> parts = words(line.scalar);
    double number = 0;
    const bool is_until = parts.size() == 3 && parts[0] == "until";
    const bool is_weight = parts.size() == 2 && parse_real(parts[1], number);
    if (!is_until && !is_weight) {
      fail_usage("{}: \"{}\" is neither a weight (clean 0.8) nor an end (until clean 2)", line.where, line.scalar);
    }
    const std::string& corpus = is_until ? parts[1] : parts[0];
    if (find_member(datasets, corpus) == nullptr) {
      fail_usage("{}: stage {} names {}, which is not one of the datasets", line.where, name, corpus);
    }
    if (is_weight) {
      if (number > 0) weights += fmt::format("{}{}: {}", weights.empty() ? "" : ", ", quoted(corpus), parts[1]);
    } else if (parts[2] == "inf") {
      config.remark(comment_text(fmt::format("{}: {}", name, line.scalar)), "the stage goes on to train.max_steps");
    } else {
      end = fmt::format(", epochs: {}, of: {}", parts[2], quoted(corpus));
    }
  }
  if (weights.empty()) fail_usage("{}: stage {} draws nothing: give one dataset a weight above 0", mix.where, name);
  return fmt::format("{{name: {}, weights: {{{}}}{}}}", quoted(name), weights, end);
}

void convert_stages(const Value& file, const Value& datasets, ConvertedConfig& config) {
  const Value* stages = find_member(file, "stages");
  if (stages == nullptr || stages->list.empty()) {
    fail_usage("{}: there are no stages: it is no file of OpusTrainer, which lists them in `stages`", file.where);
  }
  std::string list;
  for (const Value& stage : stages->list) {
    const Value* content = find_member(file, stage.scalar);
    if (content == nullptr) fail_usage("{}: stage {} is listed, but not described", stage.where, stage.scalar);
    const Value* mix = content->kind == Value::Kind::kMap ? find_member(*content, "mix") : content;
    if (mix == nullptr) fail_usage("{}: stage {} has no mix", content->where, stage.scalar);
    list += "\n    - " + stage_text(stage.scalar, *mix, datasets, config);
    if (const Value* modifiers = find_member(*content, "modifiers")) {
      remark_modifiers(*modifiers, stage.scalar + ".", config);
    }
  }
  config.set("mixture.stages", list, "stages");
}

void convert_datasets(const Value& datasets, ConvertedConfig& config) {
  std::string list;
  for (const auto& [name, path] : datasets.map) {
    list += fmt::format("\n    - {{name: {}, train: [{{tsv: {}}}]}}", quoted(name), quoted(path.scalar));
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

std::string convert_opustrainer(const Value& file) {
  ConvertedConfig config;
  const Value* datasets = find_member(file, "datasets");
  if (datasets == nullptr || datasets->map.empty()) {
    fail_usage("{}: there are no datasets: it is no file of OpusTrainer, which names them in `datasets`", file.where);
  }
  convert_stages(file, *datasets, config);
  convert_datasets(*datasets, config);
  for (const auto& [key, value] : file.map) {
    if (key == "seed") {
      config.set("seed", value.scalar, "seed");
    } else if (key == "modifiers") {
      remark_modifiers(value, "", config);
    } else if (key == "trainer") {
      config.remark(comment_text("trainer: " + value.scalar), "verbund train mixes and trains itself");
    } else if (key == "num_fields") {
      config.remark(comment_text("num_fields: " + value.scalar), "a pair has two sides; alignments are not used");
    } else if (key != "datasets" && key != "stages" && !is_stage(file, key)) {
      config.remark(comment_text(key), "is neither a key of OpusTrainer nor a stage that is listed");
    }
  }
  return config.yaml();
}

}  // namespace verbund
