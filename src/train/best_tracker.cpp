// SPDX-License-Identifier: Apache-2.0
#include "train/best_tracker.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "evaluate/evaluation.h"

namespace verbund {
namespace {

std::vector<std::string> words_of(std::string text) {
  std::replace(text.begin(), text.end(), ',', ' ');
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    less_is_better(word);  // refuses unknown metrics
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
  }
  return words;
}

// Older versions saved the label-smoothed loss as "loss": it cannot be compared with the cross-entropy, which "loss"
// is.
constexpr std::pair<const char*, const char*> kLossAndSavedAs = {"loss", "cross_entropy"};

}  // namespace

BestTracker::BestTracker(const EvaluateConfig& config)
    : config_(config), kept_(words_of(config.best)), stopping_(words_of(config.stop_on)), metrics_(kept_) {
  for (const std::string& metric : stopping_) {
    if (std::find(metrics_.begin(), metrics_.end(), metric) == metrics_.end()) metrics_.push_back(metric);
  }
}

std::vector<std::string> BestTracker::record(int64_t step, const std::map<std::string, double>& values) {
  std::vector<std::string> names;
  for (const std::string& metric : metrics_) {
    Record& record = records_[metric];
    const double value = values.at(metric);
    const double change = less_is_better(metric) ? record.value - value : value - record.value;
    if (record.step >= 0 && !(change > config_.min_change)) {
      ++record.without_change;
      continue;
    }
    record = {value, step, 0};
    if (std::find(kept_.begin(), kept_.end(), metric) == kept_.end()) continue;
    names.push_back("best-" + metric);
    if (metric == kept_.front()) names.emplace_back("best");
  }
  return names;
}

std::string BestTracker::stop_reason() const {
  if (stopping_.empty()) return "";
  std::vector<std::string> stale;
  for (const std::string& metric : stopping_) {
    const auto found = records_.find(metric);
    if (found == records_.end() || found->second.without_change < config_.patience) continue;
    stale.push_back(fmt::format("{} was best at step {} ({:.4f})", metric, found->second.step, found->second.value));
  }
  const size_t needed = config_.stop_when == StopWhen::kAny ? 1 : stopping_.size();
  if (stale.size() < needed) return "";
  return fmt::format("no improvement in {} evaluations: {}", config_.patience, fmt::join(stale, ", "));
}

std::map<std::string, BestTracker::Best> BestTracker::best() const {
  std::map<std::string, Best> best;
  for (const auto& [metric, record] : records_) {
    if (record.step >= 0) best[metric] = {record.value, record.step};
  }
  return best;
}

std::map<std::string, int64_t> BestTracker::links() const {
  std::map<std::string, int64_t> links;
  for (const std::string& metric : kept_) {
    const auto found = records_.find(metric);
    if (found == records_.end() || found->second.step < 0) continue;
    links["best-" + metric] = found->second.step;
    if (metric == kept_.front()) links["best"] = found->second.step;
  }
  return links;
}

Json BestTracker::state() const {
  Json state = Json::object();
  for (const auto& [metric, record] : records_) {
    const std::string name = metric == kLossAndSavedAs.first ? kLossAndSavedAs.second : metric;
    state[name] = {{"value", record.value}, {"step", record.step}, {"without_change", record.without_change}};
  }
  return state;
}

void BestTracker::restore(const Json& state) {
  records_.clear();
  for (const auto& [name, record] : state.items()) {
    if (name == kLossAndSavedAs.first) continue;
    const std::string metric = name == kLossAndSavedAs.second ? kLossAndSavedAs.first : name;
    records_[metric] = {record.at("value"), record.at("step"), record.at("without_change")};
  }
}

}  // namespace verbund
