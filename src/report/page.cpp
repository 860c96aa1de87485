#include "report/page.h"

#include <fmt/format.h>

#include <cmath>

#include "report/ticks.h"

namespace verbund {

std::string value_text(const Figure& figure) {
  if (std::isnan(figure.value)) return "unknown";
  return human_number(figure.value) + (figure.unit.empty() ? "" : "\u00a0" + figure.unit);
}

std::string interval_text(const Figure& figure) {
  if (!figure.low || !figure.high) return "";
  return fmt::format("{} to {}", human_number(*figure.low), human_number(*figure.high));
}

std::string figure_text(const Figure& figure) {
  const std::string interval = interval_text(figure);
  if (interval.empty()) return value_text(figure);
  return fmt::format("{} ({}{}{})", value_text(figure), interval, figure.interval.empty() ? "" : "; ", figure.interval);
}

}  // namespace verbund
