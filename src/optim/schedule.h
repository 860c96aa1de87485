// SPDX-License-Identifier: Apache-2.0
// Schedule is the learning rate of each step.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/optim_config.h"

namespace verbund {

struct ScheduleParameters {
  ScheduleConfig config;
  double d_model;
  std::vector<double> boundaries;   // config.boundaries as numbers
  std::vector<double> decay_rates;  // config.decay_rates as numbers
};

// A learning-rate policy: three functions, in a row of the table of schedule_policies.cpp.
struct Policy {
  // Refuses parameters with which the policy makes no sense.
  void (*check)(const ScheduleParameters&);
  double (*rate)(const ScheduleParameters&, double step);
  std::string (*describe)(const ScheduleParameters&);
};

const Policy& find_policy(SchedulePolicy policy);

class Schedule {
 public:
  // `d_model` is the model's width, which transformer_policy uses.
  // Refuses parameters with which the policy makes no sense.
  Schedule(const ScheduleConfig& config, int64_t d_model);

  // For step `step`, counted from 0.
  double rate(int64_t step) const { return policy_.rate(parameters_, static_cast<double>(step)); }

  // The curve in words, for use after "learning rate:": its peak, and how the rate falls after it.
  std::string describe() const { return policy_.describe(parameters_); }

 private:
  ScheduleParameters parameters_;
  const Policy& policy_;
};

}  // namespace verbund
