// SPDX-License-Identifier: Apache-2.0
#include "page/svg_parts.h"

#include <fmt/format.h>

#include <array>

namespace verbund {

std::string colour_class(size_t index) { return fmt::format("c{}", index % kColours + 1); }

std::string dash_attribute(size_t index) {
  static constexpr std::array kDashes = {"", "7 4", "2 4", "10 4 2 4", "4 3", "12 3", "1 3 6 3", "3 6"};
  const char* dash = kDashes[index % kDashes.size()];
  return *dash == '\0' ? "" : fmt::format(" stroke-dasharray=\"{}\"", dash);
}

std::string marker_path(size_t index, double x, double y) {
  constexpr double r = 3.6;
  switch (index % 4) {
    case 0:
      return fmt::format("M{:.1f} {:.1f}a{r} {r} 0 1 0 {} 0a{r} {r} 0 1 0 -{} 0Z", x - r, y, 2 * r, 2 * r,
                         fmt::arg("r", r));
    case 1:
      return fmt::format("M{:.1f} {:.1f}h{r}v{r}h-{r}Z", x - r, y - r, fmt::arg("r", 2 * r));
    case 2:
      return fmt::format("M{:.1f} {:.1f}l{} {}h-{}Z", x, y - 1.2 * r, 1.2 * r, 2.2 * r, 2.4 * r);
    default:
      return fmt::format("M{:.1f} {:.1f}l{r} {r}l-{r} {r}l-{r} -{r}Z", x, y - 1.3 * r, fmt::arg("r", 1.3 * r));
  }
}

std::string legend_swatch(Drawn drawn, size_t index) {
  std::string shape;
  const std::string marker =
      fmt::format("<path class=\"points {}\" d=\"{}\"/>", colour_class(index), marker_path(index, 15, 6));
  if (drawn == Drawn::kPoints) {
    shape = marker;
  } else if (drawn == Drawn::kBand) {
    shape = fmt::format("<path class=\"band {}\" d=\"M1 1H29V11H1Z\"/>", colour_class(index));
  } else {
    shape = fmt::format("<path class=\"curve {}\"{} d=\"M1 6H29\"/>", colour_class(index), dash_attribute(index));
    if (drawn == Drawn::kMarked) shape += marker;
  }
  return "<svg class=\"swatch\" viewBox=\"0 0 30 12\" aria-hidden=\"true\">" + shape + "</svg>";
}

std::string legend_list(const std::vector<std::string>& items) {
  std::string text = "<ul class=\"legend\">\n";
  for (const std::string& item : items) text += "<li>" + item + "</li>\n";
  return text + "</ul>\n";
}

std::string x_tick_label(size_t index, double x, double y, const std::string& text, const char* anchor) {
  return fmt::format("<text class=\"tick-x{}\" x=\"{:.1f}\" y=\"{:g}\" text-anchor=\"{}\">{}</text>\n",
                     index % 2 == 1 ? " other" : "", x, y, anchor, text);
}

}  // namespace verbund
