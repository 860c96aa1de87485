// Parallel text -> token ids of one split, on all cores.
#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "data/dataset_writer.h"
#include "data/statistics.h"
#include "text/subword_sampler.h"
#include "text/subwords.h"

namespace verbund {

struct Vocabularies {
  const Subwords& source;
  const Subwords& target;
};

// Where the pieces go as text, for --export-text.
struct PieceFiles {
  PieceFiles(const fs::path& source_path, const fs::path& target_path) : source(source_path), target(target_path) {}
  ChecksummedFile source, target;
};

// Splits words at random instead of in the model's best way; the same seed, the same splits.
struct Samplers {
  Samplers(const Vocabularies& vocabularies, double dropout, uint64_t random_seed)
      : source(vocabularies.source, dropout), target(vocabularies.target, dropout), seed(random_seed) {}
  SubwordSampler source, target;
  uint64_t seed;
};

struct EncodeRequest {
  std::string split;
  std::vector<ParallelFiles> corpora;
  bool keep_text = false;  // also write SPLIT.source.txt and SPLIT.target.txt, for scoring
  int threads = 1;
  const Samplers* samplers = nullptr;  // none: every word in the model's best way
  bool encoded = false;                // the text is pieces already: see encoded_text.h
};

// Writes the split's files into `folder`, counts into `statistics`, records what was written.
void encode_split(const EncodeRequest& request, const Vocabularies& vocabularies, const fs::path& folder,
                  PieceFiles* pieces, DatasetStatistics& statistics, FileRecords& records);

}  // namespace verbund
