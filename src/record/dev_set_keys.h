// SPDX-License-Identifier: Apache-2.0
// Keys of metrics.jsonl for the dev sets beside the main one: dev_bleu is the main one's, dev-general_bleu that of
// "general". Such a set has cross_entropy, bleu, chrf and exact_sentences.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/metrics_reader.h"

namespace verbund {

inline constexpr std::string_view kExtraDevPrefix = "dev-";

std::string extra_dev_key(std::string_view set, std::string_view metric);

struct ExtraDevKey {
  std::string set, metric;  // "general", "bleu"
};
// Nothing for any other key.
std::optional<ExtraDevKey> parse_extra_dev_key(std::string_view key);

// The names of the extra dev sets that the evaluations have, by name.
std::vector<std::string> extra_dev_sets(const MetricTable& evaluations);

}  // namespace verbund
