// frozen_parameters finds the parameters that train.freeze keeps constant.
#pragma once

#include <string>
#include <vector>

#include "core/interval.h"
#include "model/parameters.h"

namespace verbund {

// The intervals of the parameters whose names match. Refuses a pattern that matches none, or that could need excessive
// time or stack.
std::vector<Interval> frozen_parameters(const ParameterTable& table, const std::string& pattern);

}  // namespace verbund
