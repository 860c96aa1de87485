// The joint model that OpenSeq2Seq's WMT16 script produced, and newstest2014 as encoded by
// it: our encoding must be that, to the last piece. Needs the optional data folder.
#include <gtest/gtest.h>

#include "data/export_text.h"
#include "support/temporary_folder.h"
#include "text/line_reader.h"
#include "text/word_encoder.h"

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

}  // namespace
}  // namespace verbund
