// SPDX-License-Identifier: Apache-2.0
#include "interop/foreign_vocabulary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/protobuf.h"
#include "support/temporary_folder.h"
#include "text/subwords.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;

enum PieceType : int64_t { kOrdinary = 1, kUnknownType = 2, kControl = 3, kUserDefined = 4 };

std::string model_of(const std::vector<std::pair<std::string, int64_t>>& pieces) {
  ProtoMessage model;
  for (const auto& [text, type] : pieces) {
    ProtoMessage piece;
    piece.add_bytes(1, text);
    if (type != kOrdinary) piece.add_integer(3, type);  // which is the default
    model.add(1, piece);
  }
  return model.bytes();
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

// A SentencePiece model puts a word start before the first word; the tokenizers of such models cut the code off first.
TEST(ForeignVocabulary, ALanguageCodeAtTheStartOfATextIsOnePiece) {
  ForeignVocabulary vocabulary;
  vocabulary.pieces = {"</s>", "<unk>", "▁", "▁a", ">>fra<<", "<pad>"};
  vocabulary.end = 0;
  vocabulary.unknown = 1;
  vocabulary.pad = 5;
  const std::string model = model_of({{"<unk>", kUnknownType}, {"<s>", kControl}, {"▁", kOrdinary}, {"▁a", kOrdinary}});
  const std::vector<VocabularyRow> rows = rows_of(vocabulary, std::vector<std::string_view>{model});
  ASSERT_EQ(rows.size(), 7u);  // four special ones, three of the vocabulary
  EXPECT_EQ(rows[6].piece, ">>fra<<");

  const TemporaryFolder folder;
  const Subwords subwords(folder.write("model", with_rows(model, rows)));
  EXPECT_THAT(subwords.encode(">>fra<< a"), ElementsAre(6, 5));
  EXPECT_THAT(subwords.encode_pieces(">>fra<< a"), ElementsAre(">>fra<<", "▁a"));
  EXPECT_THAT(subwords.encode("a a"), ElementsAre(5, 5));
  EXPECT_TRUE(subwords.is_symbol(">>fra<<"));
}

}  // namespace
}  // namespace verbund
