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

BatchPlan::BatchPlan(TrainingSet set, const BatchConfig& config, uint64_t seed, EpochDraws draws)
    : draws_(std::move(set), std::move(draws), config.max_length, config.shuffle, seed), config_(config), seed_(seed) {
  if (config.tokens < 1) {
    fail_usage("a batch of {} tokens holds no sentence: set batch.tokens to 1 or more", config.tokens);
  }
  const size_t all = draws_.set().size();
  if (all > std::numeric_limits<uint32_t>::max()) {
    fail("the dataset has {} pairs, but a batch plan can hold at most {}: prepare it in parts", all,
         std::numeric_limits<uint32_t>::max());
  }
  dropped_pairs_ = all - std::accumulate(draws_.usable().begin(), draws_.usable().end(), size_t{0});
  if (pairs() == 0) {
    fail(
        "there are no training pairs: of {} pairs, {} are longer than batch.max_length = {} tokens. Raise it, or "
        "prepare the dataset from other text.",
        all, dropped_pairs_, config.max_length);
  }
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
        "since this position was saved",
        position.batch, position.epoch, plan.order.size());
  }
  const uint32_t range = plan.order[position.batch];
  return {plan.pairs.begin() + plan.begins[range], plan.pairs.begin() + plan.begins[range + 1]};
}

BatchPosition BatchPlan::after(BatchPosition position) const {
  if (position.batch + 1 < batches(position.epoch)) return {position.epoch, position.batch + 1};
  return {position.epoch + 1, 0};
}

std::vector<uint64_t> BatchPlan::drawn(BatchPosition position) const {
  if (!draws_.in_rounds()) return draws_.before(position.batch == 0 ? position.epoch : position.epoch + 1);
  std::vector<uint64_t> counts = draws_.before(position.epoch);
  if (position.batch == 0) return counts;
  const std::lock_guard lock(mutex_);
  const Epoch& plan = epoch(position.epoch);
  const size_t batches = *std::ranges::lower_bound(plan.groups, position.batch);
  for (const uint32_t pair : PairIds(plan.pairs).first(plan.begins[batches])) ++counts[set().corpus_of(pair)];
  return counts;
}

const BatchPlan::Epoch& BatchPlan::epoch(uint64_t number) const {
  Epoch& plan = epochs_[number % epochs_.size()];
  if (plan.number != number) build(plan, number);
  return plan;
}

void BatchPlan::build(Epoch& plan, uint64_t number) const {
  plan.number = UINT64_MAX;  // until it is complete
  plan.pairs = {};           // so that its memory serves the next ones
  Random random(seed_, kPlanStream + number);
  plan.pairs = draws_.draw(number, random);
  const std::vector<size_t> windows = sort_windows(plan.pairs);

  plan.begins.assign(1, 0);
  const std::vector<size_t> whole = {plan.pairs.size()};
  for (const size_t end : draws_.in_rounds() ? windows : whole) {
    while (plan.begins.back() < end) {
      const size_t begin = plan.begins.back();
      plan.begins.push_back(static_cast<uint32_t>(begin + batch_at(PairIds(plan.pairs).subspan(begin, end - begin))));
    }
  }
  plan.order.resize(plan.begins.size() - 1);
  std::iota(plan.order.begin(), plan.order.end(), 0u);
  group(plan, windows);
  for (size_t begin = 0; const size_t end : plan.groups) {
    const auto at = [&](size_t i) { return plan.order.begin() + static_cast<ptrdiff_t>(i); };
    if (config_.shuffle) shuffle(at(begin), at(end), random);
    begin = end;
  }
  plan.number = number;
  debug("batch plan: epoch {} has {} batches of up to {} tokens a side, {} pairs, {} longer ones left out", number,
        plan.order.size(), config_.tokens, plan.pairs.size(), dropped_pairs_);
}

// All batches of an epoch are shuffled together, or those that begin in the same window.
void BatchPlan::group(Epoch& plan, const std::vector<size_t>& windows) const {
  plan.groups.clear();
  if (draws_.in_rounds() && config_.bucket_batches == 0) {  // lengths are mixed already
    plan.groups.resize(plan.order.size());
    std::iota(plan.groups.begin(), plan.groups.end(), size_t{1});
    return;
  }
  for (size_t batch = 0; const size_t end : windows) {
    while (batch < plan.order.size() && plan.begins[batch] < end) ++batch;
    if (draws_.in_rounds() && (plan.groups.empty() || plan.groups.back() < batch)) plan.groups.push_back(batch);
  }
  if (!draws_.in_rounds()) plan.groups.push_back(plan.order.size());
}

// The size of the batch that these pairs begin with.
size_t BatchPlan::batch_at(PairIds pairs) const {
  return fitting_head(pairs, set(), static_cast<uint64_t>(config_.tokens));
}

// The pairs of a sorted window that are left when all its batches are full.
size_t BatchPlan::beyond_batches(PairIds window) const {
  for (int64_t i = 0; i < config_.bucket_batches && !window.empty(); ++i) window = window.subspan(batch_at(window));
  return window.size();
}

std::vector<size_t> BatchPlan::sort_windows(std::vector<uint32_t>& pairs) const {
  if (config_.bucket_batches == 0) return {pairs.size()};
  const uint64_t window_tokens = static_cast<uint64_t>(config_.bucket_batches) * static_cast<uint64_t>(config_.tokens);
  std::vector<uint32_t> window;
  std::vector<uint64_t> keys;
  std::vector<size_t> ends;
  bool up = true;
  for (size_t begin = 0; begin < pairs.size(); begin += window.size()) {
    const PairIds rest = PairIds(pairs).subspan(begin);
    const PairIds head = rest.first(fitting_head(rest, set(), window_tokens));
    window.assign(head.begin(), head.end());
    for (size_t surplus = SIZE_MAX; surplus > 0;) {
      keys.clear();
      for (const uint32_t pair : window) {
        keys.push_back(sort_key(set(), pair, static_cast<uint32_t>(keys.size())));
      }
      std::sort(keys.begin(), keys.end());
      if (!up) std::reverse(keys.begin(), keys.end());
      for (size_t i = 0; i < keys.size(); ++i) pairs[begin + i] = window[static_cast<uint32_t>(keys[i])];
      surplus = draws_.in_rounds() ? beyond_batches(PairIds(pairs).subspan(begin, window.size())) : 0;
      if (surplus > 0) {  // the pairs drawn last are left to the next window
        std::copy(window.begin(), window.end(), pairs.begin() + static_cast<ptrdiff_t>(begin));
        window.resize(window.size() - surplus);
      }
    }
    up = !up;
    ends.push_back(begin + window.size());
  }
  return ends;
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
