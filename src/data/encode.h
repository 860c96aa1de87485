// SPDX-License-Identifier: Apache-2.0
// encode_split() encodes parallel text into the token ids of one split, on all cores.
#pragma once

#include <string>
#include <vector>

#include "config/corpus_config.h"
#include "data/dataset_format.h"
#include "data/statistics.h"
#include "text/clean.h"
#include "text/subword_sampler.h"
#include "text/subwords.h"

namespace verbund {

struct Vocabularies {
  const Subwords& source;
  const Subwords& target;
};

// The files of pieces as text, for --export-text.
struct PieceFiles {
  PieceFiles(const fs::path& source_path, const fs::path& target_path) : source(source_path), target(target_path) {}
  ChecksummedFile source, target;
};

// Samplers split words at random instead of in the model's best way; the same seed gives the same splits.
struct Samplers {
  Samplers(const Vocabularies& vocabularies, double dropout, uint64_t random_seed)
      : source(vocabularies.source, dropout), target(vocabularies.target, dropout), seed(random_seed) {}
  SubwordSampler source, target;
  uint64_t seed;
};

struct EncodeRequest {
  std::string split;
  std::vector<ParallelFiles> corpora;
  bool train = true;  // else also write SPLIT.source.txt and SPLIT.target.txt, for scoring
  int threads = 1;
  const Samplers* samplers = nullptr;  // null: every word in the model's best way
  bool encoded = false;                // the text is pieces already, see encoded_text.h
};

// Pieces of an encoded text that are not in its vocabulary.
struct UnknownPieces {
  struct First {
    std::string piece, place;  // "a.tok:17"
  };
  uint64_t pieces = 0;       // of the text
  uint64_t unknown = 0;      // of these
  std::vector<First> named;  // the first different ones, with their first place
};

// EncodedBlock is a few thousand pairs as token ids, between the text and the files of a split.
struct EncodedBlock {
  std::vector<TokenId> ids;                  // source, target, source, ...
  std::vector<uint32_t> lengths;             // of each
  std::string source_text, target_text;      // lines for scoring
  std::string source_pieces, target_pieces;  // lines for --export-text

  // Known only for text that is encoded already:
  UnknownPieces source_unknown, target_unknown;
  CleanReport cleaned;
};

// Writes the files of the split into `folder` and adds to `statistics` and `records`.
void encode_split(const EncodeRequest& request, const Vocabularies& vocabularies, const fs::path& folder,
                  PieceFiles* pieces, DatasetStatistics& statistics, FileRecords& records);

}  // namespace verbund
