// SPDX-License-Identifier: Apache-2.0
// export_to_huggingface writes a trained model as a folder of Hugging Face's Marian (post-norm) or Pegasus (pre-norm)
// class; docs/export.md describes it.
#pragma once

#include <filesystem>
#include <string>

#include "decode/trained_model.h"

namespace verbund {

// Writes the new folder `out`, complete or absent. Refuses a model that the class does not hold exactly. `program`:
// version and commit of this program.
void export_to_huggingface(const TrainedModel& trained, const std::filesystem::path& out, const std::string& program);

// README.md: data, settings, scores, command, and a licence to fill in.
std::string model_card(const TrainedModel& trained, const std::string& program);

}  // namespace verbund
