// The pipeline from raw parallel text to a dataset folder:
// fetch or generate -> clean -> shuffle -> subwords -> encode.
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
  bool export_text = false;          // also the encoded text and vocabulary that OpenSeq2Seq reads
  std::string made_by;               // goes into the manifest
  std::vector<std::string> command;  // goes into the provenance
  std::optional<CorpusGenerator> generator = std::nullopt;  // makes the corpus, if the program does
};

// Returns the statistics as JSON. What was done before with the same inputs and settings
// is not done again.
std::string prepare(const PrepareRequest& request);

}  // namespace verbund
