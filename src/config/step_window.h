// Steps from one to another, both included, as "1000-1020"; "" is none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace verbund {

struct StepWindow {
  static constexpr int64_t kMost = 10000;  // steps; nobody can look at more

  int64_t first = 0, last = 0;  // counted from 1

  bool empty() const { return last == 0; }
  bool contains(int64_t step) const { return !empty() && step >= first && step <= last; }
  bool operator==(const StepWindow&) const = default;
};

// Nothing: it is neither a window nor "".
std::optional<StepWindow> parse_step_window(const std::string& text);
std::string to_text(const StepWindow& window);

}  // namespace verbund
