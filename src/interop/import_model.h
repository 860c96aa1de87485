// SPDX-License-Identifier: Apache-2.0
// import_model makes a run folder from a model of another system; docs/import-models.md describes it.
#pragma once

#include <optional>
#include <string>

#include "core/file.h"

namespace verbund {

struct ModelImport {
  std::string kind;  // "Hugging Face Marian", "Hugging Face Pegasus", "Marian"
  int64_t parameters = 0;
};

// True if this is a model, perhaps not a whole one: a folder with config.json, *.npz or *.spm, or a file *.npz.
bool is_foreign_model(const fs::path& source);

// `program`: version and commit of this program.
ModelImport import_model(const fs::path& source, const fs::path& run, const std::string& program);

}  // namespace verbund
