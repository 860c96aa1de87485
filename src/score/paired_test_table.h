// How several systems are shown side by side: sacreBLEU's table for people, its JSON for programs.
#pragma once

#include <nlohmann/json.hpp>

#include "score/comparison.h"

namespace verbund {

// The table, what the test says and what it does not, and the signatures.
std::string comparison_text(const Comparison& comparison, const TestOptions& options, int width);

// A list of systems. With a test a metric is {"score", "p_value", "mean", "ci"}, exact or null, else the rounded score
// as a text.
nlohmann::ordered_json comparison_json(const Comparison& comparison, const TestOptions& options, int width);

}  // namespace verbund
