// SPDX-License-Identifier: Apache-2.0
#include "plan/batch_facts.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "core/error.h"
#include "core/human.h"

namespace verbund {
namespace {

constexpr size_t kSampled = 32;  // batches; shuffled batches differ little

TokenCounts counts_of(PairIds pairs, const TrainingSet& set) {
  TokenCounts counts;
  for (const uint32_t pair : pairs) {
    const double source = set.source_length(pair) + 1.0, target = set.target_length(pair) + 1.0;
    counts += {source, target, source * source, target * target, source * target};
  }
  return counts;
}

template <typename Append>
double distinct(PairIds pairs, Append append) {
  std::vector<TokenId> ids;
  for (const uint32_t pair : pairs) append(pair, ids);
  return static_cast<double>(std::unordered_set<TokenId>(ids.begin(), ids.end()).size()) + 1;  // </s> or <s>
}

uint64_t cost_of(PairIds pairs, const TrainingSet& set) {
  uint64_t cost = 0;
  for (const uint32_t pair : pairs) cost += pair_cost(set, pair);
  return cost;
}

}  // namespace

const BatchPlan& BatchesOfDataset::plan_of(const Config& config) {
  std::unique_ptr<BatchPlan>& plan = plans_[config.batch.tokens];
  if (!plan) {
    const MixtureProgress start(training_set({&dataset_, 1}), config.batch.max_length, config.mixture);
    plan = std::make_unique<BatchPlan>(start.set(), config.batch, static_cast<uint64_t>(config.seed), start.draws());
  }
  return *plan;
}

BatchFacts BatchesOfDataset::facts(const Config& config, int workers) {
  const BatchPlan& plan = plan_of(config);
  const TrainingSet& set = plan.set();
  const size_t batches = plan.batches(0), sampled = std::min(batches, kSampled);
  const double share = 1.0 / static_cast<double>(sampled);
  BatchFacts facts;
  facts.steps_per_epoch = static_cast<double>(batches);
  for (size_t i = 0; i < sampled; ++i) {
    const std::vector<uint32_t> batch = plan.batch({0, i * batches / sampled});
    const TokenCounts all = counts_of(batch, set);
    facts.source_tokens += share * all.source;
    facts.target_tokens += share * all.target;
    const std::vector<std::vector<uint32_t>> slices = slice(batch, set, workers);
    const auto most = std::max_element(slices.begin(), slices.end(),
                                       [&](const auto& a, const auto& b) { return cost_of(a, set) < cost_of(b, set); });
    facts.worker += counts_of(*most, set) * share;
    const std::vector<PairIds> pieces = micro_batches(*most, set, config.train.micro_batch_tokens);
    facts.last += counts_of(pieces.back(), set) * share;
    for (const PairIds& piece : pieces) {
      const TokenCounts counts = counts_of(piece, set);
      facts.largest_micro_batch = std::max(facts.largest_micro_batch, counts.source + counts.target);
    }
    facts.distinct_source +=
        share * distinct(*most, [&](size_t pair, std::vector<TokenId>& ids) { set.append_source(pair, ids); });
    facts.distinct_target +=
        share * distinct(*most, [&](size_t pair, std::vector<TokenId>& ids) { set.append_target(pair, ids); });
  }
  return facts;
}

VocabularySizes BatchesOfDataset::vocabularies() const {
  return {static_cast<int64_t>(dataset_.manifest().source_vocabulary),
          static_cast<int64_t>(dataset_.manifest().target_vocabulary)};
}

std::string BatchesOfDataset::source() const {
  return fmt::format("counted in batches of {}", dataset_.folder().string());
}

BatchFacts AssumedBatches::facts(const Config& config, int workers) {
  BatchFacts facts;
  const auto tokens = static_cast<double>(config.batch.tokens);
  facts.source_tokens = facts.target_tokens = tokens;
  const double own = tokens / workers;
  const auto counts = [&](double count) {
    return TokenCounts{count, count, count * length_, count * length_, count * length_};
  };
  facts.worker = counts(own);
  const auto limit = static_cast<double>(config.train.micro_batch_tokens);
  const double pieces = limit > 0 ? std::ceil(own / limit) : 1;
  const double first = pieces > 1 ? limit : own;  // micro-batches are filled in order; the last has the rest
  facts.last = counts(own - (pieces - 1) * first);
  facts.largest_micro_batch = 2 * first;
  facts.distinct_source = distinct_ > 0 ? distinct_ : expected_distinct(own, vocabularies_.source);
  facts.distinct_target = distinct_ > 0 ? distinct_ : expected_distinct(own, vocabularies_.target);
  return facts;
}

std::string AssumedBatches::source() const {
  return fmt::format("assumed: full batches, sentences of {:g} tokens, {} pieces (give --data to count them)", length_,
                     human_count(static_cast<uint64_t>(vocabularies_.target)));
}

double expected_distinct(double tokens, int64_t vocabulary) {
  double all = 0;
  for (int64_t k = 1; k <= vocabulary; ++k) all += 1 / static_cast<double>(k);
  double found = 0;
  for (int64_t k = 1; k <= vocabulary; ++k) {
    found += 1 - std::exp(-tokens / (static_cast<double>(k) * all));
  }
  return found;
}

}  // namespace verbund
