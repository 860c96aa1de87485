// SPDX-License-Identifier: Apache-2.0
// write_dataset() encodes the texts of a dataset and makes its folder, which is complete or absent.
#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "data/corpus_source.h"
#include "text/clean.h"

namespace verbund {

struct SplitText {
  std::string split;
  std::vector<ParallelFiles> texts;
  bool train = false;
};

struct DatasetParts {
  const Config& config;
  const Corpora& corpora;
  const std::vector<CleanReport>& cleaned;  // of each source
  std::vector<SplitText> splits;
  std::filesystem::path source_model, target_model;  // one file: a joint vocabulary
  bool with_text = false;                            // exports the encoded text, too
  int threads = 1;
  std::string made_by;
};

// `making`: the folder of the dataset until it is complete and moved to its place, `out`.
void write_dataset(const DatasetParts& parts, const std::filesystem::path& making, const std::filesystem::path& out);

}  // namespace verbund
