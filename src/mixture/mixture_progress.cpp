// SPDX-License-Identifier: Apache-2.0
#include "mixture/mixture_progress.h"

#include <algorithm>
#include <numeric>

namespace verbund {
namespace {

uint64_t sum(const PairCounts& counts) { return std::accumulate(counts.begin(), counts.end(), uint64_t{0}); }

}  // namespace

MixtureProgress::MixtureProgress(const TrainingSet& set, int64_t max_length, const MixtureConfig& config)
    : set_(set),
      usable_(usable_pairs(set, max_length)),
      stages_(plan_stages(config, set, usable_)),
      description_(describe(stages_, set)),
      before_(usable_.size(), 0),
      seen_(stages_.size(), PairCounts(usable_.size(), 0)) {}

void MixtureProgress::see(const PairCounts& pairs) {
  for (size_t i = 0; i < pairs.size(); ++i) seen_[stage_][i] += pairs[i];
}

void MixtureProgress::evaluated(double value, bool less_is_better, double least) {
  const double change = less_is_better ? best_ - value : value - best_;
  const bool is_better = evaluations_++ == 0 || change > least;
  if (is_better) best_ = value;
  without_change_ = is_better ? 0 : without_change_ + 1;
}

bool MixtureProgress::is_stage_over(int64_t steps_done) const {
  const MixtureStage& stage = current();
  if (stage.steps > 0) return steps_done - first_step_ >= stage.steps;
  if (stage.until != StageUntil::kNone) return without_change_ >= stage.patience;
  if (stage.epochs == 0) return false;
  const auto epochs = static_cast<uint64_t>(stage.epochs);
  if (stage.corpus < 0) return sum(seen_[stage_]) >= epochs * sum(stage.draws);
  const auto corpus = static_cast<size_t>(stage.corpus);
  return seen_[stage_][corpus] >= epochs * usable_[corpus];
}

void MixtureProgress::enter_next(int64_t steps_done, uint64_t epoch, PairCounts drawn, double skipped) {
  ++stage_;
  skipped_ += skipped;
  first_step_ = steps_done;
  first_epoch_ = epoch;
  before_ = std::move(drawn);
  best_ = 0;
  evaluations_ = without_change_ = 0;
}

PairCounts MixtureProgress::seen() const {
  if (!is_counted_) return {};
  PairCounts all(usable_.size(), 0);
  for (const PairCounts& of_stage : seen_) {
    for (size_t i = 0; i < all.size(); ++i) all[i] += of_stage[i];
  }
  return all;
}

Json MixtureProgress::named(const PairCounts& counts) const {
  Json json = Json::object();
  for (size_t i = 0; i < counts.size(); ++i) json[set_.corpora()[i].name] = counts[i];
  return json;
}

PairCounts MixtureProgress::counts(const Json& named) const {
  PairCounts counts;
  for (const TrainingCorpus& corpus : set_.corpora()) counts.push_back(named.value(corpus.name, uint64_t{0}));
  return counts;
}

Json MixtureProgress::state(const PairCounts& drawn) const {
  Json json = {{"description", description_},       {"stage", stage_},          {"first_step", first_step_},
               {"first_epoch", first_epoch_},       {"before", named(before_)}, {"drawn", named(drawn)},
               {"rounds", !current().draws.empty()}};
  if (skipped_ > 0) json["skipped_epochs"] = skipped_;
  json["until"] = {{"best", best_}, {"evaluations", evaluations_}, {"without_change", without_change_}};
  json["seen"] = Json::array();
  for (const PairCounts& of_stage : seen_) json["seen"].push_back(named(of_stage));
  if (!is_counted_) json.erase("seen");
  return json;
}

BatchPosition MixtureProgress::restore(const Json& state, BatchPosition saved) {
  is_counted_ = state.is_object() && state.contains("seen");
  if (!state.is_object()) return saved;
  const bool is_same = state.at("description") == description_;
  stage_ = std::min(state.at("stage").get<size_t>(), stages_.size() - 1);
  first_step_ = state.at("first_step");
  first_epoch_ = state.at("first_epoch");
  skipped_ = state.value("skipped_epochs", 0.0);  // older versions did not count it
  before_ = counts(state.at("before"));
  best_ = state.at("until").at("best");
  evaluations_ = state.at("until").at("evaluations");
  without_change_ = state.at("until").at("without_change");
  seen_.assign(stages_.size(), PairCounts(usable_.size(), 0));
  size_t number = 0;
  for (const Json& of_stage : state.value("seen", Json::array())) {
    const PairCounts more = counts(of_stage);
    PairCounts& sums = seen_[std::min(number++, seen_.size() - 1)];
    for (size_t i = 0; i < sums.size(); ++i) sums[i] += more[i];
  }
  if (!is_same) {  // the metric of `until` may be another one
    best_ = 0;
    evaluations_ = without_change_ = 0;
  }
  if (is_same || (current().draws.empty() && !state.at("rounds").get<bool>())) return saved;
  before_ = counts(state.at("drawn"));
  first_epoch_ = saved.epoch + 1;
  return {first_epoch_, 0};
}

std::string describe_seen(const MixtureProgress& progress, const PairCounts& seen) {
  std::vector<std::string> parts;
  const auto all = static_cast<double>(sum(seen));
  for (size_t i = 0; i < seen.size(); ++i) {
    if (seen[i] == 0) continue;
    const auto pairs = static_cast<double>(seen[i]);
    parts.push_back(fmt::format("{}: {:.2f} epochs ({:.1f} % of the pairs)", progress.set().corpora()[i].name,
                                pairs / static_cast<double>(progress.usable()[i]), 100 * pairs / all));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace verbund
