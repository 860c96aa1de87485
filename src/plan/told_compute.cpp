#include "plan/told_compute.h"

#include <fmt/format.h>

#include <algorithm>

namespace verbund {
namespace {

constexpr double kHostMemory = 10e9;  // bytes a second that an update moves on a CPU

}  // namespace

ComputeRates told_compute(double tokens_per_second, const Config& config, BatchSource& batches, int workers) {
  const BatchFacts facts = batches.facts(config, workers);
  const VocabularySizes sizes = batches.vocabularies();
  const double seconds = facts.worker.target / tokens_per_second;
  const auto weights = static_cast<double>(ParameterTable(config.model, sizes).count());
  const double update = std::min(kUpdateBytesPerWeight * weights / kHostMemory, seconds / 2);
  const auto stages = work_stages(config.model, sizes, facts.worker);
  ComputeRates rates = rates_of_cpu(stages, seconds - update, weights, update);
  rates.threads = std::max(1, static_cast<int>(config.threads));
  rates.source = fmt::format("told: {:g} target tokens/s of one worker", tokens_per_second);
  rates.named = true;
  return rates;
}

}  // namespace verbund
