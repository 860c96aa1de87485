// SPDX-License-Identifier: Apache-2.0
#include "interop/foreign_vocabulary.h"

#include <gtest/gtest.h>

#include "text/wire_format.h"

namespace verbund {
namespace {

enum PieceType : uint64_t { kOrdinary = 1, kUnknownType = 2, kControl = 3, kUserDefined = 4 };

std::string model_of(const std::vector<std::pair<std::string, uint64_t>>& pieces) {
  WireWriter model;
  for (const auto& [text, type] : pieces) {
    WireWriter piece;
    piece.add(1, std::string_view(text));
    if (type != kOrdinary) piece.add(3, type);  // which is the default
    model.add(1, piece.message());
  }
  return model.message();
}

TEST(ForeignVocabulary, LearnedPiecesThatItLacksAreCounted) {
  ForeignVocabulary vocabulary;
  vocabulary.pieces = {"</s>", "<unk>", "a", "b", "", ">>fra<<"};
  const std::string model = model_of({{"<unk>", kUnknownType},
                                      {"<s>", kControl},
                                      {"a", kOrdinary},
                                      {"b", kOrdinary},
                                      {"c", kOrdinary},
                                      {"<2de>", kUserDefined}});
  const LearnedPieces count = count_pieces(vocabulary, model);
  EXPECT_EQ(count.all, 3u);
  EXPECT_EQ(count.unknown, 1u);
  EXPECT_EQ(count_pieces(vocabulary, "").all, 0u);
}

}  // namespace
}  // namespace verbund
