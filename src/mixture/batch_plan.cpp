// SPDX-License-Identifier: Apache-2.0
#include "mixture/batch_plan.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/error.h"
#include "core/log.h"
#include "core/random.h"

namespace verbund {
namespace {

constexpr uint64_t kPlanStream = 0x706c616e'00000000;  // plus the epoch

// The number of first pairs whose tokens fit the limit on both sides; at least one.
size_t fitting_head(PairIds pairs, const TrainingSet& set, uint64_t limit) {
  uint64_t source = 0, target = 0;
  size_t count = 0;
  for (; count < pairs.size(); ++count) {
    source += set.source_length(pairs[count]) + 1;
    target += set.target_length(pairs[count]) + 1;
    if (std::max(source, target) > limit && count > 0) break;
  }
  return count;
}

// Orders by target length, then source length, then place in the window.
uint64_t sort_key(const TrainingSet& set, uint32_t pair, uint32_t place) {
  const uint64_t source = std::min(set.source_length(pair), 0xffffu);
  const uint64_t target = std::min(set.target_length(pair), 0xffffu);
  return target << 48 | source << 32 | place;
}

}  // namespace

BatchPlan::BatchPlan(TrainingSet set, const BatchConfig& config, uint64_t seed)
    : set_(std::move(set)), config_(config), seed_(seed) {
  if (config.tokens < 1) {
    fail_usage("a batch of {} tokens holds no sentence: set batch.tokens to 1 or more", config.tokens);
  }
  if (set_.size() > std::numeric_limits<uint32_t>::max()) {
    fail("the dataset has {} pairs, but a batch plan can hold at most {}: prepare it in parts", set_.size(),
         std::numeric_limits<uint32_t>::max());
  }
  for (size_t pair = 0; pair < set_.size(); ++pair) dropped_pairs_ += keeps(pair) ? 0 : 1;
  if (pairs() == 0) {
    fail(
        "there are no training pairs: of {} pairs, {} are longer than batch.max_length = {} tokens. Raise it, or "
        "prepare the dataset from other text.",
        set_.size(), dropped_pairs_, config.max_length);
  }
}

bool BatchPlan::keeps(size_t pair) const {
  return std::max(set_.source_length(pair), set_.target_length(pair)) + int64_t{1} <= config_.max_length;
}

size_t BatchPlan::batches(uint64_t number) const {
  const std::lock_guard lock(mutex_);
  return epoch(number).order.size();
}

std::vector<uint32_t> BatchPlan::batch(BatchPosition position) const {
  const std::lock_guard lock(mutex_);
  const Epoch& plan = epoch(position.epoch);
  if (position.batch >= plan.order.size()) {
    fail(
        "there is no batch {} in epoch {}, which has {}: the dataset, the seed or the batch settings have changed "
        "since "
        "this position was saved",
        position.batch, position.epoch, plan.order.size());
  }
  const uint32_t range = plan.order[position.batch];
  return {plan.pairs.begin() + plan.begins[range], plan.pairs.begin() + plan.begins[range + 1]};
}

BatchPosition BatchPlan::after(BatchPosition position) const {
  if (position.batch + 1 < batches(position.epoch)) return {position.epoch, position.batch + 1};
  return {position.epoch + 1, 0};
}

const BatchPlan::Epoch& BatchPlan::epoch(uint64_t number) const {
  Epoch& plan = epochs_[number % epochs_.size()];
  if (plan.number != number) build(plan, number);
  return plan;
}

void BatchPlan::build(Epoch& plan, uint64_t number) const {
  plan.number = UINT64_MAX;  // until it is complete
  plan.pairs.clear();
  plan.pairs.reserve(pairs());
  for (size_t pair = 0; pair < set_.size(); ++pair) {
    if (keeps(pair)) plan.pairs.push_back(static_cast<uint32_t>(pair));
  }
  Random random(seed_, kPlanStream + number);
  if (config_.shuffle) shuffle(plan.pairs.begin(), plan.pairs.end(), random);
  if (config_.bucket_batches > 0) sort_windows(plan.pairs);

  plan.begins.assign(1, 0);
  for (PairIds rest = plan.pairs; !rest.empty();) {
    const size_t count = fitting_head(rest, set_, static_cast<uint64_t>(config_.tokens));
    plan.begins.push_back(plan.begins.back() + static_cast<uint32_t>(count));
    rest = rest.subspan(count);
  }
  plan.order.resize(plan.begins.size() - 1);
  std::iota(plan.order.begin(), plan.order.end(), 0u);
  if (config_.shuffle) shuffle(plan.order.begin(), plan.order.end(), random);
  plan.number = number;
  debug("batch plan: epoch {} has {} batches of up to {} tokens a side, {} pairs, {} longer ones left out", number,
        plan.order.size(), config_.tokens, plan.pairs.size(), dropped_pairs_);
}

void BatchPlan::sort_windows(std::vector<uint32_t>& pairs) const {
  const uint64_t window_tokens = static_cast<uint64_t>(config_.bucket_batches) * static_cast<uint64_t>(config_.tokens);
  std::vector<uint32_t> window;
  std::vector<uint64_t> keys;
  bool up = true;
  for (size_t begin = 0; begin < pairs.size(); begin += window.size()) {
    const PairIds rest = PairIds(pairs).subspan(begin);
    const PairIds head = rest.first(fitting_head(rest, set_, window_tokens));
    window.assign(head.begin(), head.end());
    keys.clear();
    for (const uint32_t pair : window) {
      keys.push_back(sort_key(set_, pair, static_cast<uint32_t>(keys.size())));
    }
    std::sort(keys.begin(), keys.end());
    if (!up) std::reverse(keys.begin(), keys.end());
    for (size_t i = 0; i < keys.size(); ++i) pairs[begin + i] = window[static_cast<uint32_t>(keys[i])];
    up = !up;
  }
}

std::vector<std::vector<uint32_t>> slice(PairIds batch, const TrainingSet& set, int workers) {
  // The longest remaining pair goes to the worker with the least work.
  std::vector<uint32_t> longest_first(batch.begin(), batch.end());
  std::stable_sort(longest_first.begin(), longest_first.end(),
                   [&](uint32_t a, uint32_t b) { return pair_cost(set, a) > pair_cost(set, b); });
  std::vector<std::vector<uint32_t>> slices(static_cast<size_t>(workers));
  std::vector<uint64_t> costs(slices.size(), 0);
  for (const uint32_t pair : longest_first) {
    const auto worker = static_cast<size_t>(std::min_element(costs.begin(), costs.end()) - costs.begin());
    slices[worker].push_back(pair);
    costs[worker] += pair_cost(set, pair);
  }
  return slices;
}

std::vector<PairIds> micro_batches(PairIds slice, const TrainingSet& set, int64_t token_limit) {
  const uint64_t limit = token_limit > 0 ? static_cast<uint64_t>(token_limit) : UINT64_MAX;
  std::vector<PairIds> parts;
  for (PairIds rest = slice; !rest.empty(); rest = rest.subspan(parts.back().size())) {
    parts.push_back(rest.first(fitting_head(rest, set, limit)));
  }
  return parts;
}

}  // namespace verbund
