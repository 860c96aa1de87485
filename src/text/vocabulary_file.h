// A vocabulary as OpenSeq2Seq's users have it: one line a piece, piece TAB score, the line's number is the id. From
// such a file alone a SentencePiece model is made that encodes as the one it was written from.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace verbund {

struct VocabularyPiece {
  std::string piece;
  float score = 0;
};

// True if this is text of such lines and not a model file.
bool is_vocabulary_file(const std::filesystem::path& path);

// Refuses, with its line, what cannot be a vocabulary with <pad>, </s>, <s>, <unk> as its first pieces.
std::vector<VocabularyPiece> read_vocabulary_file(const std::filesystem::path& path);

// Scores that are ranks (0, -1, -2, ...) make a byte-pair model, others a unigram model. What the file does not tell
// is as `verbund prepare` and spm_train have it by default: text is normalised by nmt_nfkc, and every piece after
// the first four is an ordinary one. `work` is a folder for files in between.
void make_subword_model(const std::filesystem::path& vocabulary, const std::filesystem::path& work,
                        const std::filesystem::path& output);

}  // namespace verbund
