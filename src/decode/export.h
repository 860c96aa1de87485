// A trained model in the folder format of CTranslate2, written directly: binary version 6,
// TransformerSpec revision 7. docs/export.md tells what stands where.
#pragma once

#include <filesystem>

#include "decode/trained_model.h"

namespace verbund {

// Positions in the table that is written: longer sentences are refused by CTranslate2.
inline constexpr int64_t kExportedPositions = 2048;

// Writes the new folder `out`: complete or absent. Refuses one that exists.
// `program`: version and commit of this one.
void export_to_ctranslate2(const TrainedModel& trained, const std::filesystem::path& out, const std::string& program);

}  // namespace verbund
