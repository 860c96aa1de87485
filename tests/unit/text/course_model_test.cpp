// SPDX-License-Identifier: Apache-2.0
// The joint model that OpenSeq2Seq's WMT16 script produced, and newstest2014 as encoded by
// it: our encoding must be that, to the last piece. Needs the optional data folder.
#include <gtest/gtest.h>

#include "core/file.h"
#include "support/temporary_folder.h"
#include "text/line_reader.h"
#include "text/subwords.h"
#include "text/vocabulary_file.h"

namespace verbund {
namespace {

class CourseModel : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(data_ / "course/m_common.model")) GTEST_SKIP() << "no data folder at " << data_;
  }
  fs::path data_ = fs::path(VERBUND_SOURCE_DIR) / "../shared/data";
};

std::string without_trailing_blanks(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

TEST_F(CourseModel, EncodesNewstestAsPublished) {
  const Subwords subwords(data_ / "course/m_common.model");
  WordEncoder encoder(subwords);
  LineReader text(data_ / "newstest/newstest2014-2737.en.gz");
  LineReader expected(data_ / "course/wmt14-en-de.src.BPE_common.32K.tok.gz");
  std::string line, pieces;
  while (text.next_line(line)) {
    ASSERT_TRUE(expected.next_line(pieces));
    ASSERT_EQ(fmt::format("{}", fmt::join(subwords.encode_pieces(line), " ")), without_trailing_blanks(pieces))
        << "line " << text.lines();
    std::vector<TokenId> ids;
    encoder.encode(line, ids);
    ASSERT_EQ(ids, subwords.encode(line)) << "line " << text.lines();
  }
  EXPECT_EQ(text.lines(), 2737u);
  EXPECT_FALSE(expected.next_line(pieces));
}

TEST_F(CourseModel, VocabularyFileIsThePublishedOne) {
  EXPECT_EQ(vocabulary_file(Subwords(data_ / "course/m_common.model")), slurp(data_ / "course/m_common.vocab"));
}

// From the vocabulary file alone a model is made; it must encode as the one the file was written from.
TEST_F(CourseModel, VocabularyFileAloneMakesTheSameModel) {
  const TemporaryFolder folder;
  make_subword_model(data_ / "course/m_common.vocab", folder.path(), folder / "made.model");
  const Subwords given(data_ / "course/m_common.model"), made(folder / "made.model");
  EXPECT_EQ(vocabulary_file(made), vocabulary_file(given));
  for (const char* name : {"newstest2014.en.gz", "newstest2014.de.gz", "newstest2013.en.gz", "newstest2013.de.gz"}) {
    LineReader text(data_ / "newstest" / name);
    for (std::string line; text.next_line(line);) {
      const std::vector<TokenId> ids = given.encode(line);
      ASSERT_EQ(made.encode(line), ids) << name << " line " << text.lines();
      ASSERT_EQ(made.decode(ids), given.decode(ids)) << name << " line " << text.lines();
    }
  }
}

}  // namespace
}  // namespace verbund
