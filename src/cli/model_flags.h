// SPDX-License-Identifier: Apache-2.0
// Model flags name the trained model that a command uses, and the device that computes.
#pragma once

#include "cli/options.h"
#include "decode/trained_model.h"

namespace verbund {

// --model, which is returned and required, --checkpoint, --vocabulary, --target-vocabulary
Option* add_model_flags(Options& options, ModelPlace& place);
// The same without --model, for commands with several models.
void add_checkpoint_flags(Options& options, ModelPlace& place);

// --device and --precision, for commands that compute.
void add_device_flags(Options& options, ModelPlace& place);

// Logs the device and its precision.
void log_device(const Device& device);

// Applies --set. Keys that do not matter for a trained model are refused.
void override_use(Config& config, const std::vector<std::string>& overrides);

}  // namespace verbund
