// The names that other systems give to their curves -> the keys of metrics.jsonl.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace verbund {

// A value under the key it has here.
struct ScalarValue {
  std::string key;
  double value = 0;
};

// "eval_loss" -> dev_loss. What is not known keeps its name. Nothing if the value has no counterpart: no steps in a
// second.
std::optional<ScalarValue> translate_scalar(std::string_view tag, double value);

// Whether a curve belongs to evaluations, not to training.
bool is_of_evaluation(std::string_view key);

}  // namespace verbund
