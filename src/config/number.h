// SPDX-License-Identifier: Apache-2.0
// Numbers and step windows as people write them in a configuration: 25000, 25k, 2.5e4, 1000-1020. Whole numbers are
// parsed exactly, without the detour of floating point.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace verbund {

enum class WholeNumber { kRead, kNoNumber, kNotWhole, kTooLarge };

// k and K stand for a thousand, M for a million, G for a billion; "1.5k" is 1500.
WholeNumber parse_whole(std::string_view text, int64_t& number);
bool parse_real(std::string_view text, double& number);

// Steps from the first to the last, both included, as "1000-1020"; "" is none.
struct StepWindow {
  static constexpr int64_t kMax = 10000;  // steps; more is too much to look at

  int64_t first = 0, last = 0;  // counted from 1

  bool empty() const { return last == 0; }
  bool contains(int64_t step) const { return !empty() && step >= first && step <= last; }
  bool operator==(const StepWindow&) const = default;
};

// Returns nothing if the text is neither a window nor "".
std::optional<StepWindow> parse_step_window(const std::string& text);
std::string to_text(const StepWindow& window);

}  // namespace verbund
