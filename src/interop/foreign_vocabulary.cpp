// SPDX-License-Identifier: Apache-2.0
#include "interop/foreign_vocabulary.h"

#include <array>
#include <unordered_map>
#include <unordered_set>

#include "core/error.h"
#include "text/subwords.h"
#include "text/wire_format.h"

namespace verbund {
namespace {

constexpr std::array kSpecialPieces = {"<pad>", "</s>", "<s>", "<unk>"};

// Field numbers and values of SentencePiece's model file.
enum ModelField { kPieces = 1, kTrainerSettings = 2, kNormalizer = 3, kDenormalizer = 5 };
enum PieceField { kText = 1, kScore = 2, kType = 3 };
enum PieceType : uint64_t { kOrdinary = 1, kUnknownType = 2, kControl = 3, kUserDefined = 4, kUnused = 5, kByte = 6 };
enum TrainerField {
  kVocabularySize = 4,
  kUnkId = 40,
  kBosId,
  kEosId,
  kPadId,
  kUnkPiece = 45,
  kBosPiece,
  kEosPiece,
  kPadPiece
};

// Never chosen before another one.
constexpr float kLowestScore = -1e9f;

struct ModelPiece {
  std::string text;
  float score = 0;
  uint64_t type = kOrdinary;

  // Text may be cut into it.
  bool is_used() const { return type == kOrdinary || type == kUserDefined || type == kByte; }
};

std::vector<ModelPiece> read_pieces(std::string_view model) {
  std::vector<ModelPiece> pieces;
  for (WireReader field(model); field.next();) {
    if (field.number != kPieces) continue;
    ModelPiece& piece = pieces.emplace_back();
    for (WireReader part(field.bytes); part.next();) {
      if (part.number == kText) piece.text = part.bytes;
      if (part.number == kScore) piece.score = part.real();
      if (part.number == kType) piece.type = part.value;
    }
  }
  return pieces;
}

}  // namespace

std::vector<std::string> pieces_of(std::string_view model) {
  std::vector<std::string> texts;
  for (ModelPiece& piece : read_pieces(model)) texts.push_back(std::move(piece.text));
  return texts;
}

LearnedPieces count_pieces(const ForeignVocabulary& vocabulary, std::string_view model) {
  const std::unordered_set<std::string_view> known(vocabulary.pieces.begin(), vocabulary.pieces.end());
  LearnedPieces count;
  for (const ModelPiece& piece : read_pieces(model)) {
    if (piece.type != kOrdinary) continue;
    ++count.all;
    count.unknown += known.contains(piece.text) ? 0 : 1;
  }
  return count;
}

std::vector<VocabularyRow> rows_of(const ForeignVocabulary& vocabulary, std::span<const std::string_view> models) {
  const auto [pieces, end, unknown, start, pad, start_counts] = vocabulary;
  const bool has_own_pad = pad != ForeignVocabulary::kNone && pad != start && pad != end && pad != unknown;
  const bool has_own_start = start != ForeignVocabulary::kNone && start != end && start != unknown;
  std::vector<VocabularyRow> rows = {{kSpecialPieces[kPad], has_own_pad ? pad : ForeignVocabulary::kNone, !has_own_pad},
                                     {kSpecialPieces[kEndOfSentence], end, false},
                                     {kSpecialPieces[kStartOfSentence], start, !has_own_start || !start_counts},
                                     {kSpecialPieces[kUnknown], unknown, false}};
  std::unordered_set<std::string> taken(kSpecialPieces.begin(), kSpecialPieces.end());
  for (int64_t id = 0; id < static_cast<int64_t>(pieces.size()); ++id) {
    if (id == end || id == unknown || id == start || id == pad) continue;
    std::string piece = pieces[static_cast<size_t>(id)];
    if (piece.empty() || !taken.insert(piece).second) piece = fmt::format("<row {}>", id);
    rows.push_back({piece, id, false});
  }
  for (const std::string_view model : models) {
    for (const ModelPiece& piece : read_pieces(model)) {
      if (piece.is_used() && taken.insert(piece.text).second) rows.push_back({piece.text, unknown, true});
    }
  }
  return rows;
}

std::string with_rows(std::string_view model, const std::vector<VocabularyRow>& rows) {
  std::unordered_map<std::string, ModelPiece> known;
  for (ModelPiece& piece : read_pieces(model)) {
    if (piece.is_used()) known.emplace(piece.text, piece);
  }
  WireWriter written;
  for (size_t id = 0; id < rows.size(); ++id) {
    const auto found = known.find(rows[id].piece);
    ModelPiece piece = {rows[id].piece, kLowestScore, kUnused};  // a piece of the other side: it can only be written
    if (id < kSpecialPieces.size()) {
      piece = {rows[id].piece, 0, static_cast<TokenId>(id) == kUnknown ? kUnknownType : kControl};
    } else if (found != known.end()) {
      piece = found->second;
    } else if (is_language_code(piece.text)) {
      piece.type = kUserDefined;
    } else if (piece.text.starts_with("<row ")) {
      piece.type = kControl;
    }
    WireWriter fields;
    fields.add(kText, piece.text);
    fields.add(kScore, piece.score);
    fields.add(kType, piece.type);
    written.add(kPieces, fields.message());
  }
  for (WireReader field(model); field.next();) {
    const bool settings =
        field.number == kTrainerSettings || field.number == kNormalizer || field.number == kDenormalizer;
    if (settings) written.add(field.number, field.bytes);
  }
  WireWriter special;  // repeated messages are merged; the later value wins
  special.add(kVocabularySize, static_cast<uint64_t>(rows.size()));
  special.add(kUnkId, uint64_t{kUnknown});
  special.add(kBosId, uint64_t{kStartOfSentence});
  special.add(kEosId, uint64_t{kEndOfSentence});
  special.add(kPadId, uint64_t{kPad});
  special.add(kUnkPiece, std::string_view(kSpecialPieces[kUnknown]));
  special.add(kBosPiece, std::string_view(kSpecialPieces[kStartOfSentence]));
  special.add(kEosPiece, std::string_view(kSpecialPieces[kEndOfSentence]));
  special.add(kPadPiece, std::string_view(kSpecialPieces[kPad]));
  written.add(kTrainerSettings, special.message());
  return written.message();
}

}  // namespace verbund
