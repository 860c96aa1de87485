// SPDX-License-Identifier: Apache-2.0
#include "interop/foreign_vocabulary.h"

#include <array>
#include <unordered_map>
#include <unordered_set>

#include "core/error.h"
#include "core/protobuf.h"
#include "text/subwords.h"

namespace verbund {
namespace {

constexpr std::array kSpecialPieces = {"<pad>", "</s>", "<s>", "<unk>"};

// Field numbers and values of SentencePiece's model file.
enum ModelField { kPieces = 1, kTrainerSettings = 2, kNormalizer = 3, kDenormalizer = 5 };
enum PieceField { kText = 1, kScore = 2, kType = 3 };
enum PieceType : int64_t { kOrdinary = 1, kUnknownType = 2, kControl = 3, kUserDefined = 4, kUnused = 5, kByte = 6 };
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
  int64_t type = kOrdinary;

  // Text may be cut into it.
  bool is_used() const { return type == kOrdinary || type == kUserDefined || type == kByte; }
};

std::vector<ModelPiece> read_pieces(std::string_view model) {
  std::vector<ModelPiece> pieces;
  ProtoReader fields(model);
  while (const auto field = fields.next()) {
    if (field->number != kPieces) continue;
    ModelPiece& piece = pieces.emplace_back();
    ProtoReader parts(field->bytes());
    while (const auto part = parts.next()) {
      if (part->number == kText) piece.text = part->bytes();
      if (part->number == kScore) piece.score = part->float_value();
      if (part->number == kType) piece.type = part->integer();
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
  ProtoMessage written;
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
    ProtoMessage fields;
    fields.add_bytes(kText, piece.text).add_float(kScore, piece.score).add_integer(kType, piece.type);
    written.add(kPieces, fields);
  }
  ProtoReader fields(model);
  while (const auto field = fields.next()) {
    const bool settings =
        field->number == kTrainerSettings || field->number == kNormalizer || field->number == kDenormalizer;
    if (settings) written.add_bytes(field->number, field->bytes());
  }
  ProtoMessage special;  // repeated messages are merged; the later value wins
  special.add_integer(kVocabularySize, static_cast<int64_t>(rows.size()));
  special.add_integer(kUnkId, kUnknown);
  special.add_integer(kBosId, kStartOfSentence);
  special.add_integer(kEosId, kEndOfSentence);
  special.add_integer(kPadId, kPad);
  special.add_bytes(kUnkPiece, kSpecialPieces[kUnknown]);
  special.add_bytes(kBosPiece, kSpecialPieces[kStartOfSentence]);
  special.add_bytes(kEosPiece, kSpecialPieces[kEndOfSentence]);
  special.add_bytes(kPadPiece, kSpecialPieces[kPad]);
  written.add(kTrainerSettings, special);
  return written.bytes();
}

}  // namespace verbund
