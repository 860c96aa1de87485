// SPDX-License-Identifier: Apache-2.0
// DatasetRecord is what run.json keeps of the data of a run: its dataset folders, each with its statistics and with the
// command and the settings that made it, and the training corpora. See docs/formats.md.
#pragma once

#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "config/config.h"
#include "core/json.h"

namespace verbund {

// The sections of a configuration that say how a dataset is made, as YAML.
std::string dataset_settings(Config config);

// The first folder, and in `further` those after it. `checksum`: of all of them. A file that is damaged is left out
// with a warning: training does not need it.
Json describe_datasets(std::span<const std::filesystem::path> folders, const std::string& checksum);

struct FolderRecord {
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

  std::string path;
  std::vector<std::string> command;  // that made it; empty: not known
  std::string settings;              // corpus, clean and subwords, as YAML; "": not known
  double pairs = kUnknown;           // of training, of all its corpora
  double pairs_before = kUnknown;    // cleaning
  double source_bytes = kUnknown, target_bytes = kUnknown;
  double source_tokens = kUnknown, target_tokens = kUnknown;
};

struct CorpusRecord {
  std::string name;
  double pairs = FolderRecord::kUnknown;
  double usable = FolderRecord::kUnknown;  // pairs that are not too long for batch.max_length
};

struct DatasetRecord {
  std::string source_language, target_language;
  std::vector<FolderRecord> folders;  // one of which little more than the path is known, if an older version wrote it
  std::vector<CorpusRecord> corpora;  // empty: not known

  // The sum over all folders; not known if that of one is not.
  double sum(double FolderRecord::*value) const;
};

// Reads the key `dataset` of run.json; what is missing or of another type is not known.
DatasetRecord read_dataset_record(const Json& dataset);

}  // namespace verbund
