// SPDX-License-Identifier: Apache-2.0
#include "interop/import_model.h"

#include <algorithm>

#include "core/error.h"
#include "interop/foreign_model.h"

namespace verbund {
namespace {

bool is_npz(const fs::path& path) { return path.extension() == ".npz"; }

}  // namespace

bool is_foreign_model(const fs::path& source) {
  if (!fs::is_directory(source)) return is_npz(source) && fs::exists(source);
  if (fs::exists(source / "config.json")) return true;
  const std::vector<fs::path> files = list_folder(source);
  return std::any_of(files.begin(), files.end(), is_npz);
}

ModelImport import_model(const fs::path& source, const fs::path& run, const std::string& program) {
  const bool folder = fs::is_directory(source) && fs::exists(source / "config.json");
  const ForeignModel model = folder ? read_huggingface_marian(source) : read_marian_npz(source);
  return {model.kind, write_run(model, run, source, program)};
}

}  // namespace verbund
