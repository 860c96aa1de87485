// SPDX-License-Identifier: Apache-2.0
#include "evaluate/extra_dev_sets.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "core/error.h"
#include "core/file.h"
#include "core/json.h"
#include "core/plain_path.h"
#include "data/dataset.h"
#include "decode/shared_translation.h"

namespace verbund {
namespace {

// Places of the pairs of `part` in `whole`; none if some are missing.
std::vector<size_t> places_in(const TestSet& whole, const TestSet& part) {
  const auto text = [](const TestSet& set, size_t i) {
    return std::pair<std::string_view, std::string_view>(set.sources[i], set.references[i]);
  };
  std::map<std::pair<std::string_view, std::string_view>, std::vector<size_t>> same;  // pairs, the first one last
  for (size_t i = whole.size(); i-- > 0;) same[text(whole, i)].push_back(i);
  std::vector<size_t> places;
  for (size_t i = 0; i < part.size(); ++i) {
    std::vector<size_t>& left = same[text(part, i)];
    if (left.empty()) return {};
    const size_t place = places.emplace_back(left.back());
    left.pop_back();
    if (whole.source_tokens[place] != part.source_tokens[i]) return {};
    if (whole.reference_tokens[place] != part.reference_tokens[i]) return {};
  }
  return places;
}

// The dev pairs of another dataset.
TestSet read_other(const Dataset& other, const Dataset& dataset, const Subwords& source, const Subwords& target) {
  verify(other, "dev");
  if (read_file(other.source_model()) != read_file(dataset.source_model()) ||
      read_file(other.target_model()) != read_file(dataset.target_model())) {
    fail(
        "evaluate.also: {} was prepared with another subword model than {}, so the model cannot read it. Prepare it "
        "with the same one: verbund prepare {} ...",
        other.folder().string(), dataset.folder().string(), subword_settings(dataset));
  }
  return read_test_set(other, "dev", source, target);
}

std::string to_text(const std::vector<ExtraDevSet>& sets) {
  Json all = Json::array();
  for (const auto& [name, set, places] : sets) {
    all.push_back({{"name", name},
                   {"sources", set.sources},
                   {"references", set.references},
                   {"source_tokens", set.source_tokens},
                   {"reference_tokens", set.reference_tokens},
                   {"places", places}});
  }
  return pack_json(all);
}

std::vector<ExtraDevSet> from_text(const std::string& text) {
  std::vector<ExtraDevSet> sets;
  for (const Json& json : unpack_json(text)) {
    ExtraDevSet& extra = sets.emplace_back();
    extra.name = json.at("name");
    extra.set = {json.at("sources"), json.at("references"), json.at("source_tokens"), json.at("reference_tokens")};
    extra.places = json.at("places").get<std::vector<size_t>>();
  }
  return sets;
}

// The evaluation of `part`, taken from that of the main set, which contains it.
Evaluation part_of(const Evaluation& main, const ExtraDevSet& part, const EvaluateConfig& config) {
  const auto cut = [&](const auto& all) {
    std::decay_t<decltype(all)> own;
    for (const size_t place : part.places) own.push_back(all[place]);
    return own;
  };
  Evaluation result;
  result.sentences = cut(main.sentences);
  for (const SentenceLoss& sentence : result.sentences) {
    result.loss.cross_entropy += sentence.cross_entropy;
    result.loss.tokens += sentence.tokens;
  }
  if (main.translations.empty()) return result;
  result.translations = cut(main.translations);
  result.bleu_statistics = cut(main.bleu_statistics);
  result.chrf_statistics = cut(main.chrf_statistics);
  score(result, part.set.references, config);
  return result;
}

}  // namespace

std::string dev_set_name(const ExtraDevSetConfig& set) {
  if (!set.name.empty()) return set.name;
  return folder_name(set.data);
}

std::vector<std::string> names_of_parts(const DatasetManifest& dataset, const std::string& split) {
  std::vector<std::string> names;
  if (split != "dev" && split != "test") return names;
  for (const auto& [name, pairs] : dataset.splits) {
    if (name.starts_with(split + "-")) names.push_back(name);
  }
  return names;
}

std::vector<ExtraDevSet> read_parts(const Dataset& dataset, const std::string& split, const TestSet& main,
                                    const Subwords& source, const Subwords& target) {
  std::vector<ExtraDevSet> sets;
  for (const std::string& name : names_of_parts(dataset.manifest(), split)) {
    if (dataset.manifest().splits.at(name) == 0) continue;
    TestSet set = read_test_set(dataset, name, source, target);
    std::vector<size_t> places = places_in(main, set);
    sets.push_back({name.substr(split.size() + 1), std::move(set), std::move(places)});
  }
  return sets;
}

std::vector<ExtraDevSet> read_extra_dev_sets(const Dataset& dataset, const EvaluateConfig& config, const TestSet& main,
                                             const Subwords& source, const Subwords& target, Workers& workers,
                                             const ArrangeDevSet& arrange) {
  std::vector<ExtraDevSet> sets;
  if (workers.leads()) {
    sets = read_parts(dataset, "dev", main, source, target);
    std::set<std::string> names;
    for (const ExtraDevSet& set : sets) names.insert(set.name);
    for (const ExtraDevSetConfig& wanted : config.also) {
      const std::string name = dev_set_name(wanted);
      if (!is_source_name(name)) {
        fail_usage(
            "evaluate.also: \"{}\" cannot name a dev set, because names have letters, digits, _ . and - alone: set "
            "another name",
            name);
      }
      if (!names.insert(name).second) {
        fail_usage("evaluate.also: there are two dev sets \"{}\": give one of them another name", name);
      }
      const Dataset other(wanted.data);
      TestSet set = arrange(read_other(other, dataset, source, target), other, name);
      std::vector<size_t> places = places_in(main, set);
      sets.push_back({name, std::move(set), std::move(places)});
    }
  }
  if (workers.size() == 1) return sets;
  return from_text(workers.comm().broadcast(workers.leads() ? to_text(sets) : ""));
}

std::vector<Evaluation> evaluate_extra(const std::vector<ExtraDevSet>& sets, const Evaluation& main,
                                       const EvaluateConfig& config,
                                       const std::function<Evaluation(const TestSet&)>& evaluate_set) {
  std::vector<Evaluation> results;
  for (const ExtraDevSet& extra : sets) {
    const size_t translated = main.translations.size();  // fewer than all with evaluate.sentences
    const auto is_translated = [&](size_t place) { return translated == 0 || place < translated; };
    const bool known = !extra.places.empty() && std::ranges::all_of(extra.places, is_translated);
    results.push_back(known ? part_of(main, extra, config) : evaluate_set(extra.set));
  }
  return results;
}

}  // namespace verbund
