// CorpusSource is the origin of the text of a dataset: files given by the user, a corpus fetched by its manifest, or
// one that the program generates.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/config.h"
#include "data/stages.h"

namespace verbund {

struct CorpusSource {
  std::string name = "files";
  std::string source_language, target_language;
  std::string dev_name = "dev", test_name = "test";  // in exported file names
  std::vector<ParallelFiles> train, dev, test;
};

// Generated text is written into `work`; downloads go to the cache.
CorpusSource find_corpus(const Config& config, const std::filesystem::path& work, Stages& stages);

// "demo" and "reversal".
bool is_generated(const std::string& name);

}  // namespace verbund
