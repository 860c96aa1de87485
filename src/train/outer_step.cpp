// SPDX-License-Identifier: Apache-2.0
#include "train/outer_step.h"

#include <algorithm>
#include <cmath>

namespace verbund {

OuterStep::OuterStep(size_t size, const WorkersConfig& config)
    : changes_(host_, size, "changes of the weights"),
      optimizer_(size, config.outer_rate, config.outer_momentum),
      outer_(size) {}

void OuterStep::begin_step(Weights& weights) {
  if (std::exchange(in_round_, true)) return;
  weights.values().download(outer_);
  if (ahead_.empty()) return;
  change_on_host(weights.write(), [&](std::span<float> values) {
    for (size_t i = 0; i < values.size(); ++i) values[i] += ahead_[i];
  });
}

void OuterStep::count_tokens(int64_t own, int64_t all) {
  tokens_.own += own;
  tokens_.all += all;
}

void OuterStep::send(const Weights& weights, GradientReducer& reducer, std::chrono::steady_clock::time_point began,
                     bool meets) {
  const float share = static_cast<float>(static_cast<double>(tokens_.own) / static_cast<double>(tokens_.all));
  tokens_ = {};
  const HostCopy own(weights.values());
  const std::span<float> changes = changes_.host();
  for (size_t i = 0; i < changes.size(); ++i) changes[i] = share * (outer_[i] - own.values()[i]);
  if (!meets) sent_.assign(own.values().begin(), own.values().end());
  reducer.begin(began);
  reducer.mark_ready({0, changes.size()});
  is_sent_ = true;
}

bool OuterStep::receive(GradientReducer& reducer) {
  reducer.finish();
  is_sent_ = false;
  const std::span<const float> changes = changes_.host();
  const bool finite = std::all_of(changes.begin(), changes.end(), [](float value) { return std::isfinite(value); });
  reducer.settle_residuals(finite, 1);
  return finite;
}

void OuterStep::update(Weights& weights) {
  ahead_.clear();
  if (!sent_.empty()) {
    const HostCopy own(weights.values());
    ahead_.resize(sent_.size());
    for (size_t i = 0; i < sent_.size(); ++i) ahead_[i] = own.values()[i] - sent_[i];
    sent_.clear();
  }
  optimizer_.step(outer_, changes_.host());
  weights.write().upload(outer_);
  in_round_ = false;
}

void OuterStep::restart() {
  in_round_ = is_sent_ = false;
  tokens_ = {};
  sent_.clear();
  ahead_.clear();
}

}  // namespace verbund
