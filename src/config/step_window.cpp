#include "config/step_window.h"

#include <fmt/format.h>

#include "config/number.h"

namespace verbund {

std::optional<StepWindow> parse_step_window(const std::string& text) {
  if (text.empty()) return StepWindow();
  const size_t dash = text.find('-');
  if (dash == std::string::npos) return {};
  StepWindow window;
  const bool read = parse_whole(text.substr(0, dash), window.first) == WholeNumber::kRead &&
                    parse_whole(text.substr(dash + 1), window.last) == WholeNumber::kRead;
  if (!read || window.first < 1 || window.last < window.first) return {};
  if (window.last - window.first >= StepWindow::kMost) return {};
  return window;
}

std::string to_text(const StepWindow& window) {
  return window.empty() ? "" : fmt::format("{}-{}", window.first, window.last);
}

}  // namespace verbund
