// SPDX-License-Identifier: Apache-2.0
// Corpora are the texts of a dataset: one source, or several with a name each. A source is files given by the user, a
// corpus fetched by its manifest, or one that the program generates.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "config/config.h"
#include "data/stages.h"

namespace verbund {

struct CorpusSource {
  std::string name = "files";
  std::string source_language, target_language;
  std::string dev_name = "dev", test_name = "test";  // in exported file names
  std::vector<ParallelFiles> train, dev, test;       // with the languages and the tag
  double weight = 1;
  std::string tag;
  CleanConfig clean;

  void tell_files();  // languages and tag
};

struct Corpora {
  std::string name;  // of the dataset
  std::string source_language, target_language;
  std::vector<CorpusSource> sources;
  bool named = false;                    // false: one source, whose training pairs are the split "train"
  std::vector<ParallelFiles> dev, test;  // of the whole dataset

  std::string split(const char* kind, const CorpusSource& source) const {  // "train", or "train-NAME"
    return named ? fmt::format("{}-{}", kind, source.name) : kind;
  }
  std::vector<std::string> tags() const;
};

// A corpus that the program makes itself. The prepare command knows which there are.
struct CorpusGenerator {
  std::string source_language, target_language;
  int version = 0;  // is raised when the generator makes other text than before
  // Writes three TSV files: source TAB target.
  std::function<void(uint64_t seed, size_t train_pairs, const std::filesystem::path& train,
                     const std::filesystem::path& dev, const std::filesystem::path& test)>
      write;
};

// Generated text is written into `work`; downloads go to the cache. With a generator, it makes the corpus.
Corpora find_corpora(const Config& config, const CorpusGenerator* generator, const std::filesystem::path& work,
                     Stages& stages);

}  // namespace verbund
