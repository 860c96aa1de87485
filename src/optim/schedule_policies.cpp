// SPDX-License-Identifier: Apache-2.0
// The learning-rate policies: each is three small functions and a row in a table.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>

#include "core/error.h"
#include "optim/schedule.h"

namespace verbund {
namespace {

using Parameters = ScheduleParameters;

std::string number(double rate) { return fmt::format("{:.3g}", rate); }

void need_decay_steps(const Parameters& p, const char* policy) {
  if (p.config.decay_steps > 0) return;
  fail_usage("schedule.decay_steps is 0 but {} needs the number of steps over which the rate falls: set it", policy);
}

void need_power(const Parameters& p, const char* policy) {
  if (p.config.power > 0) return;
  fail_usage("schedule.power is 0 but {} needs one above 0", policy);
}

void need_room_below(const Parameters& p) {
  if (p.config.min_lr <= p.config.learning_rate) return;
  fail_usage("schedule.min_lr is {} but schedule.learning_rate is {}: the lowest rate must not be above the first",
             p.config.min_lr, p.config.learning_rate);
}

// Linear warm-up, as poly_decay and cosine_decay have it: the decay waits until it is over.
double decay_begin(const Parameters& p) {
  return static_cast<double>(std::max(p.config.begin_decay_at, p.config.warmup_steps));
}

double warm_rate(const Parameters& p, double step) {
  const auto warmup = static_cast<double>(p.config.warmup_steps);
  return step < warmup ? p.config.learning_rate * step / warmup : p.config.learning_rate;
}

// Steps into the decay over its length: 0 at its begin, 1 from its end on.
double decay_progress(const Parameters& p, double step) {
  return std::min((step - decay_begin(p)) / static_cast<double>(p.config.decay_steps), 1.0);
}

std::string describe_warm_decay(const Parameters& p, double lowest, const std::string& how) {
  const std::string rise = p.config.warmup_steps > 0
                               ? fmt::format("rises linearly for {} steps to its peak of {}", p.config.warmup_steps,
                                             number(p.config.learning_rate))
                               : fmt::format("starts at its peak of {}", number(p.config.learning_rate));
  const std::string stay = p.config.begin_decay_at > p.config.warmup_steps
                               ? fmt::format(", stays there until step {}", p.config.begin_decay_at)
                               : "";
  if (lowest == p.config.learning_rate) return rise + " and stays there";
  return fmt::format("{}{}, then falls {} to {} at step {} and stays", rise, stay, how, number(lowest),
                     decay_begin(p) + static_cast<double>(p.config.decay_steps));
}

// fixed

void check_fixed(const Parameters&) {}

double fixed_rate(const Parameters& p, double) { return p.config.learning_rate; }

std::string describe_fixed(const Parameters& p) { return fmt::format("constant {}", number(p.config.learning_rate)); }

// piecewise_constant

void check_piecewise(const Parameters& p) {
  if (p.boundaries.empty()) fail_usage("schedule.boundaries is empty but piecewise_constant needs at least one step");
  if (p.boundaries.size() != p.decay_rates.size()) {
    fail_usage("schedule.boundaries has {} numbers but schedule.decay_rates has {}: each boundary needs its factor",
               p.boundaries.size(), p.decay_rates.size());
  }
  const auto disorder = std::adjacent_find(p.boundaries.begin(), p.boundaries.end(), std::greater_equal<>());
  if (disorder != p.boundaries.end()) {
    fail_usage("schedule.boundaries has {} before {}: the steps must rise", disorder[0], disorder[1]);
  }
  const auto negative = std::find_if(p.decay_rates.begin(), p.decay_rates.end(), [](double r) { return r < 0; });
  if (negative != p.decay_rates.end()) {
    fail_usage("schedule.decay_rates has {}: factors must not be negative", *negative);
  }
}

double piecewise_rate(const Parameters& p, double step) {
  const auto passed = std::lower_bound(p.boundaries.begin(), p.boundaries.end(), step) - p.boundaries.begin();
  return passed == 0 ? p.config.learning_rate : p.config.learning_rate * p.decay_rates[static_cast<size_t>(passed) - 1];
}

std::string describe_piecewise(const Parameters& p) {
  std::string text = fmt::format("{}", number(p.config.learning_rate));
  for (size_t i = 0; i < p.boundaries.size(); ++i) {
    text += fmt::format(", {} after step {}", number(p.config.learning_rate * p.decay_rates[i]), p.boundaries[i]);
  }
  return text;
}

// exp_decay

void check_exp(const Parameters& p) {
  need_decay_steps(p, "exp_decay");
  need_room_below(p);
  if (p.config.decay_rate <= 0) fail_usage("schedule.decay_rate is 0 but exp_decay needs a factor above 0");
}

double exp_rate(const Parameters& p, double step) {
  double falls =
      std::max(step - static_cast<double>(p.config.begin_decay_at), 0.0) / static_cast<double>(p.config.decay_steps);
  if (p.config.staircase) falls = std::floor(falls);
  return std::max(p.config.min_lr, p.config.learning_rate * std::pow(p.config.decay_rate, falls));
}

std::string describe_exp(const Parameters& p) {
  const std::string floor = p.config.min_lr > 0 ? fmt::format(", never below {}", number(p.config.min_lr)) : "";
  return fmt::format("{} until step {}, then falls {} by the factor {} every {} steps{}",
                     number(p.config.learning_rate), p.config.begin_decay_at,
                     p.config.staircase ? "at once" : "steadily", number(p.config.decay_rate), p.config.decay_steps,
                     floor);
}

// poly_decay

void check_poly(const Parameters& p) {
  need_decay_steps(p, "poly_decay");
  need_power(p, "poly_decay");
  need_room_below(p);
}

double poly_rate(const Parameters& p, double step) {
  if (step < decay_begin(p)) return warm_rate(p, step);
  const double left = std::pow(1 - decay_progress(p, step), p.config.power);
  return (p.config.learning_rate - p.config.min_lr) * left + p.config.min_lr;
}

std::string describe_poly(const Parameters& p) {
  return describe_warm_decay(p, p.config.min_lr,
                             p.config.power == 1 ? "linearly" : fmt::format("with power {}", p.config.power));
}

// cosine_decay

void check_cosine(const Parameters& p) {
  need_decay_steps(p, "cosine_decay");
  if (p.config.min_lr > 0) {
    fail_usage(
        "schedule.min_lr is {} but cosine_decay counts its lowest rate as a fraction of learning_rate: "
        "set schedule.min_fraction instead",
        p.config.min_lr);
  }
}

double cosine_rate(const Parameters& p, double step) {
  if (step < decay_begin(p)) return warm_rate(p, step);
  const double wave = (1 + std::cos(std::numbers::pi * decay_progress(p, step))) / 2;
  return p.config.learning_rate * ((1 - p.config.min_fraction) * wave + p.config.min_fraction);
}

std::string describe_cosine(const Parameters& p) {
  return describe_warm_decay(p, p.config.learning_rate * p.config.min_fraction, "as half a cosine wave");
}

// transformer_policy: rises linearly, then falls with the root of the step, counted from 1.

double transformer_factor(const Parameters& p) { return p.config.learning_rate / std::sqrt(p.d_model); }

void check_transformer(const Parameters& p) {
  if (p.config.warmup_steps < 1) fail_usage("schedule.warmup_steps is 0 but transformer_policy needs at least 1");
  if (p.d_model < 1) fail_usage("the model's width is {} but transformer_policy needs one of at least 1", p.d_model);
}

double transformer_rate(const Parameters& p, double step) {
  const auto warmup = static_cast<double>(p.config.warmup_steps);
  const double rise = (step + 1) / (warmup * std::sqrt(warmup));
  const double rate = transformer_factor(p) * std::min(rise, 1 / std::sqrt(step + 1));
  return p.config.max_lr > 0 ? std::min(p.config.max_lr, rate) : rate;
}

std::string describe_transformer(const Parameters& p) {
  const auto warmup = static_cast<double>(p.config.warmup_steps);
  const double peak = transformer_factor(p) / std::sqrt(warmup);
  const double cut = p.config.max_lr;
  if (cut <= 0 || cut >= peak) {
    return fmt::format(
        "rises linearly for {} steps to its peak of {} at step {}, then falls with the inverse square root of "
        "the step",
        p.config.warmup_steps, number(peak), p.config.warmup_steps);
  }
  const double root = transformer_factor(p) / cut;
  return fmt::format(
      "rises linearly for {:.0f} steps to {}, where it is cut off, and falls with the inverse square root of "
      "the step from step {:.0f} on",
      std::ceil(warmup * cut / peak), number(cut), std::ceil(root * root));
}

// inv_poly_decay

void check_inv_poly(const Parameters& p) {
  need_decay_steps(p, "inv_poly_decay");
  need_power(p, "inv_poly_decay");
  need_room_below(p);
  if (p.config.min_lr <= 0) {
    fail_usage("schedule.min_lr is 0 but inv_poly_decay needs the rate to reach after {} steps: set one above 0",
               p.config.decay_steps);
  }
}

double inv_poly_rate(const Parameters& p, double step) {
  const double fall = std::pow(p.config.learning_rate / p.config.min_lr, 1 / p.config.power) - 1;
  const double k = fall / static_cast<double>(p.config.decay_steps);
  return p.config.learning_rate / std::pow(1 + k * step, p.config.power);
}

std::string describe_inv_poly(const Parameters& p) {
  return fmt::format("starts at its peak of {} and falls ever more slowly, to {} at step {} and further",
                     number(p.config.learning_rate), number(p.config.min_lr), p.config.decay_steps);
}

}  // namespace

const Policy& find_policy(SchedulePolicy policy) {
  static constexpr std::array<Policy, 7> kPolicies = {{
      // in the order of SchedulePolicy
      {check_fixed, fixed_rate, describe_fixed},
      {check_piecewise, piecewise_rate, describe_piecewise},
      {check_exp, exp_rate, describe_exp},
      {check_poly, poly_rate, describe_poly},
      {check_cosine, cosine_rate, describe_cosine},
      {check_transformer, transformer_rate, describe_transformer},
      {check_inv_poly, inv_poly_rate, describe_inv_poly},
  }};
  return kPolicies.at(static_cast<size_t>(policy));
}

}  // namespace verbund
