// SPDX-License-Identifier: Apache-2.0
// prepare() turns raw parallel text into a dataset folder: fetch or generate -> clean -> shuffle -> subwords -> encode.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "data/corpus_source.h"

namespace verbund {

struct PrepareRequest {
  Config config;
  std::filesystem::path out;         // the dataset folder
  bool export_text = false;          // also write the encoded text and vocabulary for OpenSeq2Seq
  std::string made_by;               // goes into the manifest
  std::vector<std::string> command;  // goes into the provenance
  std::optional<CorpusGenerator> generator = std::nullopt;  // makes the corpus, if the program does
};

// Returns the statistics as JSON. Stages that were done before with the same inputs and settings are skipped.
std::string prepare(const PrepareRequest& request);

}  // namespace verbund
