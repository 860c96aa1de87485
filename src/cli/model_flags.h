// The flags of commands that use a trained model.
#pragma once

#include "cli/options.h"
#include "decode/trained_model.h"

namespace verbund {

// --model, which is returned and required, --checkpoint, --vocabulary, --target-vocabulary
Option* add_model_flags(Options& options, ModelPlace& place);
// The same without --model, for commands that take several.
void add_checkpoint_flags(Options& options, ModelPlace& place);

// --device and --precision, for commands that compute.
void add_device_flags(Options& options, ModelPlace& place);

// Says on stderr what computes, and in which precision.
void log_device(const Device& device);

// --set, as far as it concerns the use of a model that is trained; other keys are refused.
void override_use(Config& config, const std::vector<std::string>& overrides);

}  // namespace verbund
