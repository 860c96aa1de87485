// train.freeze: which parameters keep their values.
#pragma once

#include <string>
#include <vector>

#include "core/interval.h"
#include "model/parameters.h"

namespace verbund {

// Where the parameters lie whose names match. Refuses a pattern that matches none, or that could take more time or
// stack than a search through some hundred short names is worth.
std::vector<Interval> frozen_parameters(const ParameterTable& table, const std::string& pattern);

}  // namespace verbund
