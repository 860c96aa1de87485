// SPDX-License-Identifier: Apache-2.0
#include "mixture/mixture.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/error.h"

namespace verbund {
namespace {

constexpr const char* kUntilNames[] = {"", "BLEU", "chrF", "loss"};

size_t corpus_named(const std::string& name, const TrainingSet& set, const std::string& where) {
  const auto& corpora = set.corpora();
  const auto found = std::ranges::find(corpora, name, &TrainingCorpus::name);
  if (found != corpora.end()) return static_cast<size_t>(found - corpora.begin());
  if (corpora.size() == 1) {
    fail_usage("{} names the corpus {}, but the data has only {}: is a --data folder missing?", where, name,
               corpora[0].name);
  }
  std::vector<std::string> names;
  for (const TrainingCorpus& corpus : corpora) names.push_back(corpus.name);
  fail_usage("{} names the corpus {}, which the data does not have. It has {}", where, name, fmt::join(names, ", "));
}

// Fails if nothing is drawn, or if the weights have no sum.
std::vector<double> normalised(std::vector<double> shares, const std::string& where) {
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  if (!std::isfinite(sum)) fail_usage("{}: the weights of the corpora are too large to be added", where);
  if (!(sum > 0)) fail_usage("{}: all weights are 0, so that nothing is drawn. Give one corpus a weight", where);
  for (double& share : shares) share /= sum;
  return shares;
}

std::vector<double> shares_of(const CorpusWeights& weights, double temperature, const TrainingSet& set,
                              const std::vector<uint64_t>& pairs, const std::string& where) {
  std::vector<double> shares(pairs.size(), 0);
  if (!weights.empty() && temperature > 0) {
    fail_usage("{} has weights and a temperature of {}: give one of them, because weights are shares already", where,
               temperature);
  }
  for (const auto& [name, weight] : weights) {
    const size_t corpus = corpus_named(name, set, where + ".weights");
    if (weight > 0 && pairs[corpus] == 0) {
      fail_usage("{}.weights draws from {}, which has no pairs of at most batch.max_length tokens", where, name);
    }
    shares[corpus] = weight;
  }
  for (size_t i = 0; weights.empty() && i < pairs.size(); ++i) {
    shares[i] = static_cast<double>(pairs[i]) * set.corpora()[i].weight;
  }
  if (weights.empty() && temperature > 0) {
    // Below 1, a power of a number of pairs may be too large for a double; one of a part of the largest never is.
    const double unit = temperature < 1 ? *std::ranges::max_element(shares) : 1;
    for (double& share : shares) share = std::pow(share / unit, 1 / temperature);
  }
  return normalised(std::move(shares), where);
}

// Whether corpora are drawn in proportion to their pairs, so that an epoch has every pair once.
bool every_pair_once(const MixtureConfig& config, const TrainingSet& set) {
  const auto& corpora = set.corpora();
  const bool same_weights = std::ranges::all_of(corpora, [&](const auto& c) { return c.weight == corpora[0].weight; });
  const bool even = config.temperature == 0 || config.temperature == 1;
  return config.weights.empty() && config.stages.empty() && config.epoch_pairs == 0 && even && same_weights;
}

void set_end(const StageConfig& config, const TrainingSet& set, const std::string& where, MixtureStage& stage) {
  const int ends = (config.epochs > 0 ? 1 : 0) + (config.steps > 0 ? 1 : 0) + (config.until != StageUntil::kNone);
  if (ends > 1) fail_usage("{} ends in more than one way: give epochs, steps or until", where);
  if (!config.of.empty() && config.epochs == 0) {
    fail_usage("{}.of={} says whose epochs count, but not how many: set epochs as well", where, config.of);
  }
  stage.epochs = config.epochs;
  stage.steps = config.steps;
  stage.until = config.until;
  stage.patience = config.patience;
  if (config.of.empty()) return;
  const size_t corpus = corpus_named(config.of, set, where + ".of");
  if (stage.shares[corpus] == 0) {
    fail_usage("{} counts the epochs of {}, but does not draw from it: give it a weight", where, config.of);
  }
  stage.corpus = static_cast<int64_t>(corpus);
}

std::string describe_end(const MixtureStage& stage, const TrainingSet& set) {
  if (stage.epochs > 0) {
    const std::string of = stage.corpus < 0 ? "" : " of " + set.corpora()[static_cast<size_t>(stage.corpus)].name;
    return fmt::format(", for {} epoch{}{}", stage.epochs, stage.epochs == 1 ? "" : "s", of);
  }
  if (stage.steps > 0) return fmt::format(", for {} step{}", stage.steps, stage.steps == 1 ? "" : "s");
  if (stage.until == StageUntil::kNone) return "";
  return fmt::format(", until {} has not improved for {} evaluation{}", kUntilNames[static_cast<size_t>(stage.until)],
                     stage.patience, stage.patience == 1 ? "" : "s");
}

}  // namespace

std::vector<uint64_t> apportion(const std::vector<double>& shares, uint64_t total) {
  std::vector<uint64_t> counts;
  std::vector<size_t> order(shares.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto exact = [&](size_t i) { return shares[i] * static_cast<double>(total); };
  for (size_t i = 0; i < shares.size(); ++i) counts.push_back(static_cast<uint64_t>(exact(i)));
  std::ranges::stable_sort(order, std::greater(), [&](size_t i) { return exact(i) - std::floor(exact(i)); });
  uint64_t given = std::accumulate(counts.begin(), counts.end(), uint64_t{0});
  for (size_t next = 0; given < total && next < order.size(); ++next, ++given) ++counts[order[next]];
  for (size_t i = 0; i < shares.size(); ++i) {
    if (shares[i] > 0 && counts[i] == 0) counts[i] = 1;
  }
  return counts;
}

std::vector<MixtureStage> plan_stages(const MixtureConfig& config, const TrainingSet& set,
                                      const std::vector<uint64_t>& pairs) {
  if (std::accumulate(pairs.begin(), pairs.end(), uint64_t{0}) == 0) {  // BatchPlan says why
    return {MixtureStage{.name = "1", .shares = std::vector<double>(pairs.size(), 0)}};
  }
  std::vector<StageConfig> wanted = config.stages;
  if (wanted.empty()) wanted.emplace_back();
  std::vector<MixtureStage> stages;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const StageConfig& stage_config = wanted[i];
    const bool own = !stage_config.weights.empty() || stage_config.temperature > 0;
    const std::string stage_key = fmt::format("mixture.stages[{}]", i);
    MixtureStage& stage = stages.emplace_back();
    stage.name = stage_config.name.empty() ? std::to_string(i + 1) : stage_config.name;
    stage.shares =
        shares_of(own ? stage_config.weights : config.weights, own ? stage_config.temperature : config.temperature, set,
                  pairs, own ? stage_key : "mixture");
    set_end(stage_config, set, stage_key, stage);
    if (!stage.ends() && i + 1 < wanted.size()) {
      fail_usage("{} has no end, but another stage follows: set its epochs, steps or until", stage_key);
    }
    if (every_pair_once(config, set)) continue;
    uint64_t total = static_cast<uint64_t>(config.epoch_pairs);
    for (size_t corpus = 0; config.epoch_pairs == 0 && corpus < pairs.size(); ++corpus) {
      total += stage.shares[corpus] > 0 ? pairs[corpus] : 0;
    }
    stage.draws = apportion(stage.shares, total);
  }
  return stages;
}

std::string describe(const MixtureStage& stage, const TrainingSet& set) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < stage.shares.size(); ++i) {
    if (stage.shares[i] > 0) parts.push_back(fmt::format("{} {:.6g} %", set.corpora()[i].name, 100 * stage.shares[i]));
  }
  return fmt::format("{}{}", fmt::join(parts, ", "), describe_end(stage, set));
}

std::string describe(const std::vector<MixtureStage>& stages, const TrainingSet& set) {
  std::vector<std::string> parts;
  for (const MixtureStage& stage : stages) {
    const uint64_t pairs = std::accumulate(stage.draws.begin(), stage.draws.end(), uint64_t{0});
    parts.push_back(fmt::format("{}{}{}", stages.size() == 1 ? "" : stage.name + ": ", describe(stage, set),
                                pairs > 0 ? fmt::format(" ({} pairs per epoch)", pairs) : ""));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace verbund
