// SPDX-License-Identifier: Apache-2.0
#include "text/vocabulary_file.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/file.h"
#include "core/random.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"
#include "text/subword_trainer.h"
#include "text/subwords.h"

namespace verbund {
namespace {

using ::testing::HasSubstr;

const std::string kSpecial = "<pad>\t0\n</s>\t0\n<s>\t0\n<unk>\t0\n";

class VocabularyFileTest : public ::testing::Test {
 protected:
  auto read(const std::string& text) { return read_vocabulary_file(folder_.write("m.vocab", text)); }

  TemporaryFolder folder_;
};

std::string random_word(Random& random) {
  static constexpr const char* kSyllables[] = {"ba", "do", "ku", "li", "me", "nü", "ra", "so", "ti", "we"};
  std::string word;
  for (uint64_t i = 0, count = 1 + random.below(4); i < count; ++i) word += kSyllables[random.below(10)];
  return word;
}

// The file alone is enough to encode as the model that it was written from.
TEST_F(VocabularyFileTest, MakesAModelThatEncodesTheSame) {
  Random random(5, 0);
  std::string corpus;
  for (int i = 0; i < 2000; ++i) {
    corpus += random_word(random) + " " + random_word(random) + "\t" + random_word(random) + "\n";
  }
  folder_.write("corpus", corpus);
  for (const SubwordType type : {SubwordType::kBpe, SubwordType::kUnigram}) {
    SubwordConfig config;
    config.type = type;
    config.vocabulary = 150;
    learn_subwords(folder_ / "corpus", Sides::kBoth, config, folder_ / "learned.model");
    const Subwords learned(folder_ / "learned.model");
    const fs::path file = folder_.write("m.vocab", vocabulary_file(learned));
    EXPECT_TRUE(is_vocabulary_file(file));
    EXPECT_FALSE(is_vocabulary_file(folder_ / "learned.model"));
    make_subword_model(file, folder_.path(), folder_ / "made.model");
    const Subwords made(folder_ / "made.model");
    EXPECT_STREQ(made.type(), learned.type());
    EXPECT_EQ(made.encodes_by_word(), learned.encodes_by_word());
    for (int i = 0; i < 300; ++i) {
      const std::string text =
          "  " + random_word(random) + " ﬁ Ω\u3000" + random_word(random) + "½" + random_word(random);
      ASSERT_EQ(made.encode(text), learned.encode(text)) << text;
      ASSERT_EQ(made.decode(made.encode(text)), learned.decode(learned.encode(text)));
    }
    const std::string once = slurp(folder_ / "made.model");
    make_subword_model(file, folder_.path(), folder_ / "made.model");
    EXPECT_EQ(slurp(folder_ / "made.model"), once);
    EXPECT_FALSE(fs::exists(folder_ / "least.model"));
  }
}

TEST_F(VocabularyFileTest, LinesAreIds) {
  const auto pieces = read(kSpecial + "en\t-0\n▁a\t-1.5\n");
  ASSERT_EQ(pieces.size(), 6u);
  EXPECT_EQ(pieces[5].piece, "▁a");
  EXPECT_EQ(pieces[5].score, -1.5f);
}

TEST_F(VocabularyFileTest, RefusesOtherFilesWithTheirLine) {
  EXPECT_ERROR(read(kSpecial + "en\n"), Error, HasSubstr("line 5"), HasSubstr("\"en\""));
  EXPECT_ERROR(read(kSpecial + "\t-1\n"), Error, HasSubstr("line 5"));
  EXPECT_ERROR(read(kSpecial + "en\tmany\n"), Error, HasSubstr("line 5"));
  EXPECT_ERROR(read(kSpecial + "en\tnan\n"), Error, HasSubstr("line 5"));
  EXPECT_ERROR(read(kSpecial + "\xff\t-1\n"), Error, HasSubstr("line 5"));
  EXPECT_ERROR(read(kSpecial + "en\t0\nan\t-1\nen\t-2\n"), Error, HasSubstr("\"en\""), HasSubstr("lines 5 and 7"));
  EXPECT_ERROR(read("<unk>\t0\n<s>\t0\n</s>\t0\nen\t0\n"), Error, HasSubstr("line 1"), HasSubstr("\"<unk>\""),
               HasSubstr("<pad>"));
  EXPECT_ERROR(read(kSpecial), Error, HasSubstr("4 pieces"));
}

}  // namespace
}  // namespace verbund
