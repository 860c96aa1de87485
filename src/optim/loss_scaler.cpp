// SPDX-License-Identifier: Apache-2.0
#include "optim/loss_scaler.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace verbund {
namespace {

class StaticScaler final : public LossScaler {
 public:
  explicit StaticScaler(double scale) : scale_(scale) {}

  double scale() const override { return scale_; }
  State state() const override { return {}; }

 protected:
  void overflowed() override {}
  void succeeded(double) override {}
  void set_state(const State&) override {}

 private:
  double scale_;
};

class BackoffScaler final : public LossScaler {
 public:
  explicit BackoffScaler(const LossScaleConfig& config) : config_(config), scale_(config.scale_max) {}

  double scale() const override { return scale_; }
  State state() const override {
    return {{"backoff.scale", scale_}, {"backoff.good_steps", static_cast<double>(good_steps_)}};
  }

 protected:
  void overflowed() override {
    scale_ = std::max(scale_ / config_.step_factor, config_.scale_min);
    good_steps_ = 0;
  }
  void succeeded(double) override {
    if (++good_steps_ < config_.step_window) return;
    scale_ = std::min(scale_ * config_.step_factor, config_.scale_max);
    good_steps_ = 0;
  }
  void set_state(const State& state) override {
    scale_ = state.at("backoff.scale");
    good_steps_ = static_cast<int64_t>(state.at("backoff.good_steps"));
  }

 private:
  LossScaleConfig config_;
  double scale_;
  int64_t good_steps_ = 0;  // in a row, since the scale last changed
};

// An average that weighs the newest value with 1 - decay, corrected for having started at 0.
class MovingAverage {
 public:
  explicit MovingAverage(double decay) : decay_(decay) {}

  void add(double value) {
    sum_ = decay_ * sum_ + (1 - decay_) * value;
    start_share_ *= decay_;
  }
  double mean() const { return sum_ / (1 - start_share_); }

  void save(LossScaler::State& state, const std::string& name) const {
    state[name + ".sum"] = sum_;
    state[name + ".start_share"] = start_share_;
  }
  void restore(const LossScaler::State& state, const std::string& name) {
    sum_ = state.at(name + ".sum");
    start_share_ = state.at(name + ".start_share");
  }

 private:
  double decay_;
  double sum_ = 0;
  double start_share_ = 1;
};

class LogMaxScaler final : public LossScaler {
 public:
  explicit LogMaxScaler(const LossScaleConfig& config)
      : config_(config), fast_(config.beta1), slow_(config.beta2), square_(config.beta2) {
    scale_ = std::clamp(1.0, config.scale_min, config.scale_max);  // nothing is known yet
  }

  double scale() const override { return scale_; }
  State state() const override {
    State state = {{"logmax.scale", scale_}};
    fast_.save(state, "logmax.fast");
    slow_.save(state, "logmax.slow");
    square_.save(state, "logmax.square");
    return state;
  }

 protected:
  // The excess over the limit is not known; the limit itself, unscaled, is observed.
  void overflowed() override { observe(config_.log_max); }
  void succeeded(double largest) override {
    if (largest > 0) observe(std::log2(largest));  // a gradient of zeros carries no information
  }
  void set_state(const State& state) override {
    scale_ = state.at("logmax.scale");
    fast_.restore(state, "logmax.fast");
    slow_.restore(state, "logmax.slow");
    square_.restore(state, "logmax.square");
  }

 private:
  void observe(double log_largest) {
    fast_.add(log_largest);
    slow_.add(log_largest);
    square_.add(log_largest * log_largest);
    const double variance = square_.mean() - slow_.mean() * slow_.mean();
    const double deviation = std::sqrt(std::max(variance, 0.0));
    const double highest = fast_.mean() + config_.overflow_std_dev * deviation;
    scale_ = std::clamp(std::exp2(config_.log_max - highest), config_.scale_min, config_.scale_max);
  }

  LossScaleConfig config_;
  double scale_ = 1;
  MovingAverage fast_;    // of the logarithm: the mean
  MovingAverage slow_;    // of the logarithm: for the deviation, with ...
  MovingAverage square_;  // ... this one, of its square
};

}  // namespace

bool LossScaler::update(double largest) {
  const bool finite = std::isfinite(largest);
  finite ? succeeded(largest) : overflowed();
  return finite;
}

bool LossScaler::fits(const State& state) const {
  const State mine = this->state();
  const auto same_name = [](const auto& a, const auto& b) { return a.first == b.first; };
  return std::equal(mine.begin(), mine.end(), state.begin(), state.end(), same_name);
}

void LossScaler::restore(const State& state) {
  if (!fits(state)) {
    const auto first = [](const State& s) { return s.empty() ? "nothing" : s.begin()->first; };
    fail(
        "the loss scaler keeps {} ... but the saved state has {} ...: was it saved with another "
        "loss_scale.type?",
        first(this->state()), first(state));
  }
  set_state(state);
}

std::unique_ptr<LossScaler> make_loss_scaler(const LossScaleConfig& config) {
  if (config.scale_min > config.scale_max) {
    fail_usage(
        "loss_scale.scale_min is {} but loss_scale.scale_max is {}: the smallest scale must not be above "
        "the largest",
        config.scale_min, config.scale_max);
  }
  switch (config.type) {
    case LossScaleType::kNone:
      return std::make_unique<StaticScaler>(1.0);
    case LossScaleType::kStatic:
      return std::make_unique<StaticScaler>(config.value);
    case LossScaleType::kBackoff:
      return std::make_unique<BackoffScaler>(config);
    case LossScaleType::kLogMax:
      return std::make_unique<LogMaxScaler>(config);
  }
  fail("loss scaling of type {} is not known", static_cast<int>(config.type));
}

}  // namespace verbund
