// SPDX-License-Identifier: Apache-2.0
// ForeignVocabulary is the vocabulary of another system's model, whose ids are independent of the SentencePiece models
// that cut text into pieces. Here the id of a piece in the SentencePiece model is its row of the embeddings, and the
// first four are special. So an import puts the rows into that order, and writes the SentencePiece models again with
// the pieces in it: the same text becomes the same pieces, and the same pieces have the same rows.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace verbund {

struct ForeignVocabulary {
  static constexpr int64_t kNone = -1;

  std::vector<std::string> pieces;  // by id; "" for a row without a piece
  int64_t end = kNone, unknown = kNone;
  int64_t start = kNone;  // what the decoder begins with; kNone: an embedding of zeros
  int64_t pad = kNone;
  bool start_counts = true;  // its probability belongs to the softmax, though it is never part of a translation
};

// The bias of a row without probability: e^-100 is nothing beside any other, and fine-tuning can still change it.
inline constexpr float kNoProbability = -100;

// A row of the embeddings here.
struct VocabularyRow {
  std::string piece;
  int64_t foreign = ForeignVocabulary::kNone;  // the row there; kNone: zeros
  bool silent = false;                         // has no probability in the output
};

// `models`: the bytes of the SentencePiece models that cut text into these pieces, one or two. A piece that they know
// but the vocabulary does not is unknown there: it gets a row like that of <unk>.
std::vector<VocabularyRow> rows_of(const ForeignVocabulary& vocabulary, std::span<const std::string_view> models);

// The SentencePiece model with the pieces in the order of the rows.
std::string with_rows(std::string_view model, const std::vector<VocabularyRow>& rows);

// The pieces of a SentencePiece model that were learned from text.
struct LearnedPieces {
  uint64_t all = 0;
  uint64_t unknown = 0;  // those that the vocabulary does not have
};

LearnedPieces count_pieces(const ForeignVocabulary& vocabulary, std::string_view model);

// The pieces of a SentencePiece model, by its ids.
std::vector<std::string> pieces_of(std::string_view model);

}  // namespace verbund
