// SPDX-License-Identifier: Apache-2.0
// Memory and disk that training a model needs, without its batches.
#pragma once

#include "config/config.h"
#include "doctor/facts.h"
#include "model/parameters.h"

namespace verbund {

constexpr double kRoomForBatches = 1.5;  // factor over the model's needs that leaves memory for batches

ModelNeeds needs_of_model(const Config& config, VocabularySizes vocabularies, int workers, int hosts = 1);

}  // namespace verbund
