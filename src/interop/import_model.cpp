// SPDX-License-Identifier: Apache-2.0
#include "interop/import_model.h"

#include <algorithm>

#include "core/error.h"
#include "interop/foreign_model.h"

namespace verbund {
namespace {

bool is_npz(const fs::path& path) { return path.extension() == ".npz"; }

bool holds(const fs::path& folder, const char* extension) {
  const std::vector<fs::path> files = list_folder(folder);
  return std::any_of(files.begin(), files.end(), [&](const fs::path& file) { return file.extension() == extension; });
}

}  // namespace

bool is_foreign_model(const fs::path& source) {
  if (!fs::is_directory(source)) return is_npz(source) && fs::exists(source);
  return fs::exists(source / "config.json") || holds(source, ".npz") || holds(source, ".spm");
}

ModelImport import_model(const fs::path& source, const fs::path& run, const std::string& program) {
  const bool folder = fs::is_directory(source) && fs::exists(source / "config.json");
  if (!folder && fs::is_directory(source) && !holds(source, ".npz")) {
    fail(
        "{} has subword models (*.spm), but neither the config.json of Hugging Face's Marian nor the weights of Marian "
        "(*.npz): get the missing files of the model",
        source.string());
  }
  const ForeignModel model = folder ? read_huggingface_marian(source) : read_marian_npz(source);
  return {model.kind, write_run(model, run, source, program)};
}

}  // namespace verbund
