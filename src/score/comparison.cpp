// SPDX-License-Identifier: Apache-2.0
#include "score/comparison.h"

#include <fmt/format.h>

namespace verbund {
namespace {

// Inserts the draws after the number of references, as sacreBLEU does.
std::string insert_draws(const std::string& signature, const std::string& draws) {
  std::string result = signature;
  return result.insert(result.find('|'), draws);
}

std::string signature_of(const std::string& signature, const TestOptions& options) {
  if (options.test == PairedTest::kNone) return signature;
  if (options.test == PairedTest::kBootstrap) return with_samples(signature, options.trials, options.seed_name);
  const std::string bs = options.confidence_samples > 0 ? fmt::format("|bs:{}", options.confidence_samples) : "";
  return insert_draws(signature, fmt::format("{}|ar:{}|seed:{}", bs, options.trials, options.seed_name));
}

SystemScore judge_baseline(const Metric& metric, const StatisticsTable& baseline, const TestOptions& options) {
  SystemScore result = {.score = metric.score(std::span<const double>(baseline.sums()))};
  const int64_t samples = options.test == PairedTest::kBootstrap ? options.trials : options.confidence_samples;
  if (options.test == PairedTest::kNone || samples == 0) return result;
  Pcg64 random(options.seed);
  result.interval = sampled_interval(metric, bootstrap_scores(metric, baseline, samples, random));
  return result;
}

// Every system is tested with the same draws.
SystemScore judge(const Metric& metric, const StatisticsTable& baseline, const StatisticsTable& system,
                  const TestOptions& options) {
  SystemScore result = {.score = metric.score(std::span<const double>(system.sums()))};
  Pcg64 random(options.seed);
  if (options.test == PairedTest::kRandomization) {
    result.p = paired_randomization(metric, baseline, system, options.trials, random).p;
    if (options.confidence_samples > 0) {
      const auto scores = bootstrap_scores(metric, system, options.confidence_samples, random);
      result.interval = sampled_interval(metric, scores);
    }
  }
  if (options.test == PairedTest::kBootstrap) {
    const PairedBootstrap found = paired_bootstrap(metric, baseline, system, options.trials, random);
    result.p = found.p;
    result.interval = found.second;
  }
  return result;
}

}  // namespace

std::string with_samples(const std::string& signature, int64_t samples, const std::string& seed) {
  return insert_draws(signature, fmt::format("|bs:{}|seed:{}", samples, seed));
}

Comparison compare_systems(const std::vector<NamedSystem>& systems, const References& references,
                           const Metrics& metrics, const TestOptions& options) {
  Comparison comparison;
  for (const NamedSystem& system : systems) comparison.systems.push_back(system.name);
  for (const std::unique_ptr<Metric>& metric : metrics) {
    const StatisticsTable baseline = metric->statistics(systems.front().segments, references);
    const ScoreReport report = metric->report(baseline.sums(), references.size());
    Comparison::Column column = {report.name, signature_of(report.signature, options), {}};
    column.scores.push_back(judge_baseline(*metric, baseline, options));
    for (size_t i = 1; i < systems.size(); ++i) {
      const StatisticsTable system = metric->statistics(systems[i].segments, references);
      column.scores.push_back(judge(*metric, baseline, system, options));
    }
    comparison.columns.push_back(std::move(column));
  }
  return comparison;
}

}  // namespace verbund
