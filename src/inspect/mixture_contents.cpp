// SPDX-License-Identifier: Apache-2.0
#include "inspect/mixture_contents.h"

#include <algorithm>

#include "core/columns.h"
#include "core/error.h"
#include "core/human.h"
#include "mixture/mixture_progress.h"
#include "text/subwords.h"

namespace verbund {
namespace {

Json corpora_of(const MixtureProgress& start) {
  Json corpora = Json::array();
  for (size_t i = 0; i < start.usable().size(); ++i) {
    const std::vector<uint64_t>& draws = start.current().draws;
    corpora.push_back({{"name", start.set().corpora()[i].name},
                       {"pairs", start.usable()[i]},
                       {"epoch_pairs", draws.empty() ? start.usable()[i] : draws[i]}});
  }
  return corpora;
}

}  // namespace

Json mixture_contents(std::span<const Dataset> datasets, const Config& config, const BatchesToShow& wanted) {
  if (config.batch.tokens == kAutomatic) {
    fail_usage("batch.tokens is auto, which training settles when it starts: give --set batch.tokens=N");
  }
  const MixtureProgress start(training_set(datasets), config.batch.max_length, config.mixture);
  const BatchPlan plan(start.set(), config.batch, static_cast<uint64_t>(config.seed), start.draws());
  const Subwords source(datasets.front().source_model()), target(datasets.front().target_model());
  Json contents = {{"kind", "mixture"}, {"corpora", corpora_of(start)}, {"stages", Json::array()}};
  for (const MixtureStage& stage : start.stages()) {
    contents["stages"].push_back(fmt::format("{}: {}", stage.name, describe(stage, start.set())));
  }
  contents["batches"] = Json::array();
  for (size_t i = 0; i < std::min(wanted.batches, plan.batches(0)); ++i) {
    Json batch = {{"pairs", Json::object()}, {"target_tokens", 0}, {"shown", Json::array()}};
    const std::vector<uint32_t> pairs = plan.batch({0, i});
    uint64_t tokens = 0;
    for (const uint32_t pair : pairs) {
      const std::string& name = start.set().corpora()[start.set().corpus_of(pair)].name;
      batch["pairs"][name] = batch["pairs"].value(name, uint64_t{0}) + 1;
      tokens += start.set().target_length(pair) + 1;
      if (batch["shown"].size() >= wanted.pairs) continue;
      std::vector<TokenId> source_ids, target_ids;
      start.set().append_source(pair, source_ids);
      start.set().append_target(pair, target_ids);
      batch["shown"].push_back(
          {{"corpus", name}, {"source", source.decode(source_ids)}, {"target", target.decode(target_ids)}});
    }
    batch["target_tokens"] = tokens;
    contents["batches"].push_back(std::move(batch));
  }
  return contents;
}

std::string show_mixture_contents(const Json& contents) {
  std::string text;
  for (const Json& corpus : contents.at("corpora")) {
    text += fmt::format("{:<9} {:<20} {:>13} pairs, {} of an epoch of the mixture\n", text.empty() ? "corpora" : "",
                        corpus.at("name").get<std::string>(), human_count(corpus.at("pairs")),
                        human_count(corpus.at("epoch_pairs")));
  }
  for (const Json& stage : contents.at("stages")) text += fmt::format("stage     {}\n", stage.get<std::string>());
  size_t number = 0;
  for (const Json& batch : contents.at("batches")) {
    std::vector<std::string> counts;
    for (const auto& [name, pairs] : batch.at("pairs").items()) {
      counts.push_back(fmt::format("{} {}", name, pairs.get<uint64_t>()));
    }
    text += fmt::format("\nbatch {}: {} target tokens, pairs: {}\n", ++number, human_count(batch.at("target_tokens")),
                        fmt::join(counts, ", "));
    for (const Json& pair : batch.at("shown")) {
      text += fmt::format("  {}\n    {}\n    {}\n", pair.at("corpus").get<std::string>(),
                          pair.at("source").get<std::string>(), pair.at("target").get<std::string>());
    }
  }
  return printable(text);
}

}  // namespace verbund
