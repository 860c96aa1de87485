// SPDX-License-Identifier: Apache-2.0
#include "record/dev_set_keys.h"

#include <fmt/format.h>

namespace verbund {
namespace {

constexpr std::string_view kExtraMetrics[] = {"cross_entropy", "bleu", "chrf", "exact_sentences"};

}  // namespace

std::string extra_dev_key(std::string_view set, std::string_view metric) {
  return fmt::format("{}{}_{}", kExtraDevPrefix, set, metric);
}

std::optional<ExtraDevKey> parse_extra_dev_key(std::string_view key) {
  if (!key.starts_with(kExtraDevPrefix)) return std::nullopt;
  key.remove_prefix(kExtraDevPrefix.size());
  for (const std::string_view metric : kExtraMetrics) {  // a name may have an underscore, so the end decides
    if (key.size() < metric.size() + 2 || !key.ends_with(metric) || key[key.size() - metric.size() - 1] != '_')
      continue;
    return ExtraDevKey{std::string(key.substr(0, key.size() - metric.size() - 1)), std::string(metric)};
  }
  return std::nullopt;
}

std::vector<std::string> extra_dev_sets(const MetricTable& evaluations) {
  std::vector<std::string> names;
  for (const auto& [key, values] : evaluations.columns) {
    const auto parsed = parse_extra_dev_key(key);
    if (parsed && parsed->metric == "cross_entropy") names.push_back(parsed->set);
  }
  return names;
}

}  // namespace verbund
