// SPDX-License-Identifier: Apache-2.0
#include "record/evaluation_file.h"

#include <charconv>
#include <cmath>

#include "core/error.h"
#include "core/file.h"
#include "core/json.h"
#include "core/log.h"

namespace verbund {
namespace {

constexpr std::string_view kPrefix = "step-", kEnding = ".jsonl";

Json number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

double number_in(const Json& json) {
  if (json.is_number()) return json.get<double>();
  const auto& text = json.get_ref<const std::string&>();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  return std::numeric_limits<double>::quiet_NaN();
}

std::string line(const Json& json) { return dump_json(json) + "\n"; }

// Makes an item of each line's object. A line that is not an object, or that `make` refuses, leaves an empty item, so
// that all others keep their number. Returns the number of these lines.
template <typename Item, typename Make>
size_t read_lines(const fs::path& path, std::vector<Item>& items, Make make) {
  const MappedFile file(path);
  size_t damaged = 0;
  for (std::string_view rest = file.bytes(); !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    items.emplace_back();
    try {
      items.back() = make(parse_json(rest.substr(0, end)));
    } catch (const Json::exception&) {
      ++damaged;
    } catch (const Error&) {  // unknown statistics
      ++damaged;
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return damaged;
}

KeptSentence sentence_in(const Json& json) {
  KeptSentence sentence;
  sentence.cross_entropy = number_in(json.at("cross_entropy"));
  sentence.tokens = json.at("tokens");
  if (!json.contains("translation")) return sentence;
  sentence.translation = json.at("translation");
  sentence.bleu = bleu_statistics_of(json.at("bleu").get<std::vector<int64_t>>());
  sentence.chrf = chrf_statistics_of(json.at("chrf").get<std::vector<int64_t>>());
  return sentence;
}

}  // namespace

fs::path evaluations_folder(const fs::path& run) { return run / "evaluations"; }

fs::path evaluation_file(const fs::path& run, int64_t step) {
  return evaluations_folder(run) / fmt::format("{}{:08}{}", kPrefix, step, kEnding);
}

std::optional<int64_t> evaluation_step(const fs::path& file) {
  const std::string name = file.filename().string();
  if (!name.starts_with(kPrefix) || !name.ends_with(kEnding)) return std::nullopt;
  int64_t step = 0;
  const char *begin = name.data() + kPrefix.size(), *end = name.data() + name.size() - kEnding.size();
  const auto [stop, error] = std::from_chars(begin, end, step);
  if (error != std::errc() || stop != end) return std::nullopt;
  return step;
}

std::string evaluation_text(const Evaluation& evaluation) {
  std::string text;
  for (size_t i = 0; i < evaluation.sentences.size(); ++i) {
    Json json;
    if (i < evaluation.translations.size()) json["translation"] = evaluation.translations[i];
    json["cross_entropy"] = number(evaluation.sentences[i].cross_entropy);
    json["tokens"] = evaluation.sentences[i].tokens;
    if (i < evaluation.translations.size()) {
      json["bleu"] = columns_of(evaluation.bleu_statistics[i]);
      json["chrf"] = columns_of(evaluation.chrf_statistics[i]);
    }
    text += line(json);
  }
  return text;
}

KeptEvaluation read_evaluation(const fs::path& path) {
  KeptEvaluation kept;
  kept.damaged = read_lines(path, kept.sentences, sentence_in);
  return kept;
}

fs::path dev_file(const fs::path& run) { return evaluations_folder(run) / "dev.jsonl"; }

std::string dev_text(const TestSet& set) {
  std::string text;
  for (size_t i = 0; i < set.size(); ++i) {
    text += line({{"source", set.sources[i]}, {"reference", set.references[i]}});
  }
  return text;
}

std::vector<KeptPair> read_dev(const fs::path& path) {
  std::vector<KeptPair> pairs;
  if (!fs::exists(path)) return pairs;
  read_lines(path, pairs, [](const Json& json) -> KeptPair { return {json.at("source"), json.at("reference")}; });
  return pairs;
}

void EvaluationKeeper::begin(int64_t step) {
  const fs::path folder = evaluations_folder(run_);
  try {
    if (!fs::exists(folder)) return;
    remove_partial_files(folder);
    for (const fs::path& file : list_folder(folder)) {
      if (const auto of = evaluation_step(file); of && *of > step) remove_path(file);
    }
  } catch (const Error& error) {
    warn("outdated evaluations may remain in {}: {}", folder.string(), error.what());
  }
}

void EvaluationKeeper::evaluation(const EvaluationSeen& seen) {
  try {
    make_folder(evaluations_folder(run_));
    keep_dev(seen.set);
    write_file(evaluation_file(run_, seen.step), evaluation_text(seen.dev));
  } catch (const Error& error) {
    warn("the results of the evaluation of step {} for each sentence are not saved: {}", seen.step, error.what());
  }
}

// Written once, and again if the run is resumed with other pairs.
void EvaluationKeeper::keep_dev(const TestSet& set) {
  if (dev_is_kept_) return;
  const fs::path file = dev_file(run_);
  const std::string text = dev_text(set);
  if (!fs::exists(file) || read_file(file) != text) write_file(file, text);
  dev_is_kept_ = true;
}

}  // namespace verbund
