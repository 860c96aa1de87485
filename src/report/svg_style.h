// How the n-th series looks: its colour's class, dash and marker, and a small picture of them for legends.
#pragma once

#include <string>

#include "report/chart.h"

namespace verbund {

inline constexpr size_t kColours = 8;  // .c1 to .c8 of the page's style

std::string colour_class(size_t index);    // "c1"
std::string dash_attribute(size_t index);  // "" for the first, which is solid
// A circle, square, triangle, ... around this place, as commands of a path.
std::string marker_path(size_t index, double x, double y);
std::string legend_swatch(Drawn drawn, size_t index);

}  // namespace verbund
