// SPDX-License-Identifier: Apache-2.0
// Scalar tags of other systems, translated to the keys of metrics.jsonl.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace verbund {

// A value with its key in metrics.jsonl.
struct ScalarValue {
  std::string key;
  double value = 0;
};

// "eval_loss" -> dev_loss. Unknown tags keep their name. Nothing if the value has no counterpart, as 0 steps per
// second.
std::optional<ScalarValue> translate_scalar(std::string_view tag, double value);

// True for curves of evaluations, false for those of training.
bool is_of_evaluation(std::string_view key);

}  // namespace verbund
