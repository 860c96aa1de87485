// How much memory and disk the training of a model takes, beside what its batches do.
#pragma once

#include "config/config.h"
#include "doctor/facts.h"
#include "model/parameters.h"

namespace verbund {

constexpr double kRoomForBatches = 1.5;  // times what the model takes: batches want room as well

ModelNeeds needs_of_model(const Config& config, VocabularySizes vocabularies, int workers, int hosts = 1);

}  // namespace verbund
