// SPDX-License-Identifier: Apache-2.0
// export_to_ctranslate2 writes a trained model in the folder format of CTranslate2: binary version 6, TransformerSpec
// revision 7. docs/export.md describes the files.
#pragma once

#include <filesystem>

#include "decode/trained_model.h"

namespace verbund {

// Positions in the table that is written: longer sentences are refused by CTranslate2.
inline constexpr int64_t kExportedPositions = 2048;

// Writes the new folder `out`, complete or absent. Refuses an existing one. `program`: version and commit of this
// program.
void export_to_ctranslate2(const TrainedModel& trained, const std::filesystem::path& out, const std::string& program);

}  // namespace verbund
