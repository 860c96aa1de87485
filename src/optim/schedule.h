// The learning rate of each step.
#pragma once

#include <cstdint>
#include <string>

#include "optim/schedule_policies.h"

namespace verbund {

class Schedule {
 public:
  // `d_model` is the model's width, which transformer_policy takes into account.
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
