// The learning-rate policies: each is three small functions and a row in a table.
#pragma once

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

struct Policy {
  // Refuses parameters with which the policy makes no sense.
  void (*check)(const ScheduleParameters&);
  double (*rate)(const ScheduleParameters&, double step);
  std::string (*describe)(const ScheduleParameters&);
};

const Policy& find_policy(SchedulePolicy policy);

}  // namespace verbund
