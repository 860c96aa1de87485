// SPDX-License-Identifier: Apache-2.0
#include "record/evaluation_file.h"

#include <charconv>
#include <cmath>

#include "core/error.h"
#include "core/file.h"
#include "core/json.h"
#include "core/log.h"
#include "record/dev_set_keys.h"
#include "record/flat_json.h"

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

fs::path evaluations_folder(const fs::path& run, const std::string& set) {
  const fs::path folder = run / "evaluations";
  return set.empty() ? folder : folder / (std::string(kExtraDevPrefix) + set);
}

fs::path evaluation_file(const fs::path& run, int64_t step, const std::string& set) {
  return evaluations_folder(run, set) / fmt::format("{}{:08}{}", kPrefix, step, kEnding);
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

SentenceLosses read_sentence_losses(int64_t step, const fs::path& path) {
  SentenceLosses losses;
  losses.step = step;
  const MappedFile file(path);
  std::vector<FlatMember> members;
  for (std::string_view rest = file.bytes(); !rest.empty();) {
    const size_t end = rest.find('\n');
    if (end == std::string_view::npos) break;  // half written
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    if (!read_flat_object(line, members)) break;
    double cross_entropy = NAN, tokens = NAN;
    for (const FlatMember& member : members) {
      if (member.kind != FlatMember::Kind::kNumber) continue;
      if (member.key == "cross_entropy") cross_entropy = member.number;
      if (member.key == "tokens") tokens = member.number;
    }
    if (!std::isfinite(cross_entropy) || !std::isfinite(tokens)) break;
    losses.cross_entropy.push_back(cross_entropy);
    losses.tokens.push_back(tokens);
  }
  return losses;
}

fs::path dev_file(const fs::path& run, const std::string& set) { return evaluations_folder(run, set) / "dev.jsonl"; }

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
  const fs::path main = evaluations_folder(run_);
  try {
    if (!fs::exists(main)) return;
    std::vector<fs::path> folders = {main};
    for (const fs::path& path : list_folder(main)) {
      if (fs::is_directory(path) && path.filename().string().starts_with(kExtraDevPrefix)) folders.push_back(path);
    }
    for (const fs::path& folder : folders) {
      remove_partial_files(folder);
      for (const fs::path& file : list_folder(folder)) {
        if (const auto of = evaluation_step(file); of && *of > step) remove_path(file);
      }
    }
  } catch (const Error& error) {
    warn("outdated evaluations may remain in {}: {}", main.string(), error.what());
  }
}

void EvaluationKeeper::evaluation(const EvaluationSeen& seen) {
  try {
    keep(seen.step, seen.dev, seen.set, "");
    for (const ExtraDevSeen& extra : seen.extra) keep(seen.step, extra.dev, extra.set, extra.name);
  } catch (const Error& error) {
    warn("the results of the evaluation of step {} for each sentence are not saved: {}", seen.step, error.what());
  }
}

void EvaluationKeeper::keep(int64_t step, const Evaluation& dev, const TestSet& set, const std::string& name) {
  make_folder(evaluations_folder(run_, name));
  if (!dev_is_kept_.contains(name)) {  // written once, and again if the run is resumed with other pairs
    const fs::path file = dev_file(run_, name);
    const std::string text = dev_text(set);
    if (!fs::exists(file) || read_file(file) != text) write_file(file, text);
    dev_is_kept_.insert(name);
  }
  write_file(evaluation_file(run_, step, name), evaluation_text(dev));
}

}  // namespace verbund
