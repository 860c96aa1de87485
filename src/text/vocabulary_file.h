// SPDX-License-Identifier: Apache-2.0
// Vocabulary files of OpenSeq2Seq: one line per piece, piece TAB score; the line number is the id. Such a file is
// enough to make a SentencePiece model that encodes like the original one.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "text/subwords.h"

namespace verbund {

struct VocabularyPiece {
  std::string piece;
  float score = 0;
};

// The lines of such a file.
std::string vocabulary_file(const Subwords& subwords);

// True if this is a vocabulary file and not a model file.
bool is_vocabulary_file(const std::filesystem::path& path);

// Reads a vocabulary, whose first pieces must be <pad>, </s>, <s>, <unk>. Errors name the line.
std::vector<VocabularyPiece> read_vocabulary_file(const std::filesystem::path& path);

// Makes a BPE model if the scores are ranks (0, -1, -2, ...), else a unigram model. What the file does not tell is as
// in `verbund prepare` and spm_train by default: text is normalised by nmt_nfkc, and every piece after the first four
// is an ordinary one. `work` is a folder for temporary files.
void make_subword_model(const std::filesystem::path& vocabulary, const std::filesystem::path& work,
                        const std::filesystem::path& output);

}  // namespace verbund
