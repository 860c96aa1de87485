// How fast a worker computes, and how long the stages of a step take it. Rates are measured, taken from a run's record,
// given by the user, or those of a GPU that is named; `source` says which, and `named` that nobody has measured them.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "config/device_config.h"
#include "plan/work_stages.h"

namespace verbund {

struct ComputeRates {
  double products = 0;   // operations a second
  double attention = 0;  // the same for attention
  double bytes =
      std::numeric_limits<double>::infinity();  // a second, of all else; infinite: it is in the products' rate
  double rest = 0;          // seconds of a step for all that is neither: waiting for data, the record
  double update_bytes = 0;  // a second, of the optimiser's pass over weights, gradient and state
  bool half = false;        // factors of products have 16 bits
  bool gpu = false;
  int threads = 1;  // of a worker; what the exchange takes of one of them, the computation loses
  std::string source;
  bool named = false;
};

// On CPUs one rate stands for all: attention runs at about half the speed of products, and what else there is takes a
// share of the time that hardly depends on the model.
inline constexpr double kAttentionShareOnCpu = 0.5;

double seconds_of(const WorkStage& stage, const ComputeRates& rates);
double seconds_of(const std::vector<WorkStage>& stages, const ComputeRates& rates);

// Bytes that a step moves for each weight after the exchange: the gradient is measured, then read with the weight and
// both of Adam's moments, which are written, and zeroed for the next step. Counted on the emulated GPU.
inline constexpr double kUpdateBytesPerWeight = 38;

// The rates of a CPU that needs so many seconds for these stages, and so many for an update of so many weights.
ComputeRates rates_of_cpu(const std::vector<WorkStage>& stages, double seconds, double weights, double update_seconds);

}  // namespace verbund
