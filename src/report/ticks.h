// Where an axis has its ticks, and how their numbers read. Pure.
#pragma once

#include <string>
#include <vector>

namespace verbund {

// Round numbers (1, 2 or 5 times a power of ten) within [low, high], about so many.
std::vector<double> linear_ticks(double low, double high, int count);

// Powers of ten within [low, high]; with their halves and doubles, or round numbers, if those are too few. Of positive
// numbers.
std::vector<double> log_ticks(double low, double high, int count);

// All with as many decimals as tell them apart: "0", "0.5", "1"; "25,000"; "1e-04" where there are too many zeros.
std::vector<std::string> tick_labels(const std::vector<double>& ticks);

// A number on its own as people read it: four digits that count, thousands parted by commas.
std::string human_number(double value);

}  // namespace verbund
