// SPDX-License-Identifier: Apache-2.0
// subword_settings is the part of a command that prepares other text with the subword models of a dataset.
#pragma once

#include <string>

#include "data/dataset.h"

namespace verbund {

// "--set subwords.model=FILE", and the target's as well if it is another.
std::string subword_settings(const Dataset& dataset);

}  // namespace verbund
