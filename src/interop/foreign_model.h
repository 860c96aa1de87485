// SPDX-License-Identifier: Apache-2.0
// ForeignModel is a model of another system under the names that parameters have here, before its rows are put into the
// order of a SentencePiece model.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "config/config.h"
#include "core/file.h"
#include "interop/foreign_vocabulary.h"
#include "interop/layer_parts.h"
#include "interop/tensor_map.h"

namespace verbund {

struct ForeignModel {
  std::string kind;                                   // "Hugging Face Marian", "Hugging Face Pegasus", "Marian"
  Config config;                                      // model and decode
  std::map<std::string, std::vector<float>> weights;  // embeddings have the rows of the foreign vocabulary
  std::vector<float> output_bias;                     // [target rows]; may be empty
  ForeignVocabulary source, target;                   // the same where embeddings are shared
  fs::path source_model, target_model;                // SentencePiece models; may be the same file
  std::vector<fs::path> files;                        // all that were read
};

ForeignModel read_huggingface_marian(const fs::path& folder);
// `path`: model.npz, or a folder with one.
ForeignModel read_marian_npz(const fs::path& path);

// The foreign names of a part's weight (or scale) and bias.
struct PartNames {
  std::string weight, bias;
};
using NameParts = std::function<PartNames(const LayerPart& part)>;

// Takes the layers of encoder and decoder. `transposed`: matrices are [in, out].
void take_layers(TensorMap& tensors, const NameParts& name, bool transposed, ForeignModel& model);

// Writes a run folder with a checkpoint of step 0, complete or absent. `program`: version and commit of this program.
// Returns the number of parameters.
int64_t write_run(const ForeignModel& model, const fs::path& run, const fs::path& source, const std::string& program);

}  // namespace verbund
