#include "plan/compute_rates.h"

#include <algorithm>

namespace verbund {

double seconds_of(const WorkStage& stage, const ComputeRates& rates) {
  return stage.products / rates.products + stage.attention / rates.attention +
         (rates.half ? stage.half_bytes : stage.bytes) / rates.bytes;
}

double seconds_of(const std::vector<WorkStage>& stages, const ComputeRates& rates) {
  double seconds = 0;
  for (const WorkStage& stage : stages) seconds += seconds_of(stage, rates);
  return seconds;
}

ComputeRates rates_of_cpu(const std::vector<WorkStage>& stages, double seconds, double weights, double update_seconds) {
  double work = 0;
  for (const WorkStage& stage : stages) work += stage.products + stage.attention / kAttentionShareOnCpu;
  ComputeRates rates;
  rates.products = work / seconds;
  rates.attention = kAttentionShareOnCpu * rates.products;
  rates.update_bytes = kUpdateBytesPerWeight * weights / std::max(1e-9, update_seconds);
  return rates;
}

}  // namespace verbund
