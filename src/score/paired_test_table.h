// SPDX-License-Identifier: Apache-2.0
// Tables of several systems side by side, with the results of paired tests: sacreBLEU's table for people, its JSON for
// programs.
#pragma once

#include <string>

#include "core/json.h"
#include "score/comparison.h"

namespace verbund {

// The table, an explanation of the test, and the signatures.
std::string comparison_text(const Comparison& comparison, const TestOptions& options, int width);

// A list of systems. With a test, a metric is {"score", "p_value", "mean", "ci"}, exact or null; without, the rounded
// score as text.
Json comparison_json(const Comparison& comparison, const TestOptions& options, int width);

}  // namespace verbund
