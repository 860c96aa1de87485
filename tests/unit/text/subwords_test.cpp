// SPDX-License-Identifier: Apache-2.0
#include "text/subwords.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <set>

#include "config/config.h"
#include "core/error.h"
#include "core/file.h"
#include "core/protobuf.h"
#include "core/random.h"
#include "core/utf8.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"
#include "text/subword_sampler.h"
#include "text/subword_trainer.h"

namespace verbund {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Pairs of words over a small alphabet, enough to learn from.
std::string training_text() {
  Random random(11, 0);
  std::string text;
  for (int i = 0; i < 3000; ++i) {
    for (const char separator : {'\t', '\n'}) {
      for (uint64_t word = 0, words = 2 + random.below(6); word < words; ++word) {
        if (word > 0) text += ' ';
        for (uint64_t syllable = 0, syllables = 1 + random.below(3); syllable < syllables; ++syllable) {
          static constexpr const char* kSyllables[] = {"ba", "do", "ku", "li", "me", "nü", "ra", "so", "ti", "we"};
          text += kSyllables[random.below(10)];
        }
      }
      text += separator;
    }
  }
  return text;
}

// As the user gives it, so that what is advised is also allowed.
void override_with(SubwordConfig& subwords, int64_t vocabulary) {
  Config config;
  override_config(config, {fmt::format("subwords.vocabulary={}", vocabulary)});
  subwords.vocabulary = config.subwords.vocabulary;
}

class SubwordsTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    folder_->write("corpus", training_text());
    for (const SubwordType type : {SubwordType::kBpe, SubwordType::kUnigram}) {
      learn_subwords(*folder_ / "corpus", Sides::kBoth, config(type), model_path(type));
    }
  }
  static void TearDownTestSuite() { delete folder_; }

  static SubwordConfig config(SubwordType type) {
    SubwordConfig config;
    config.type = type;
    config.vocabulary = 200;
    return config;
  }
  static std::filesystem::path model_path(SubwordType type) {
    return *folder_ / (type == SubwordType::kBpe ? "bpe.model" : "unigram.model");
  }

  static TemporaryFolder* folder_;
};
TemporaryFolder* SubwordsTest::folder_ = nullptr;

TEST_F(SubwordsTest, SpecialPiecesHaveTheirIds) {
  const Subwords subwords(model_path(SubwordType::kBpe));
  EXPECT_EQ(subwords.size(), 200u);
  EXPECT_STREQ(subwords.type(), "bpe");
  EXPECT_EQ(subwords.piece(kPad), "<pad>");
  EXPECT_EQ(subwords.piece(kEndOfSentence), "</s>");
  EXPECT_EQ(subwords.piece(kStartOfSentence), "<s>");
  EXPECT_EQ(subwords.piece(kUnknown), "<unk>");
  EXPECT_STREQ(Subwords(model_path(SubwordType::kUnigram)).type(), "unigram");
}

TEST_F(SubwordsTest, EncodesAndDecodes) {
  const Subwords subwords(model_path(SubwordType::kUnigram));
  EXPECT_EQ(subwords.decode(subwords.encode("bado kunü rasoti")), "bado kunü rasoti");
  EXPECT_TRUE(subwords.encode("").empty());
  EXPECT_THAT(subwords.encode("Ω"), ::testing::Contains(kUnknown));
  EXPECT_THAT(subwords.encode_pieces("Ω"), ::testing::Contains("Ω"));
}

TEST_F(SubwordsTest, SymbolsAreOnePieceWhereverTheyStand) {
  std::string text = training_text();
  for (size_t at = 0; (at = text.find('\n', at + 1)) != std::string::npos && at + 1 < text.size();) {
    text.insert(at + 1, at % 2 == 0 ? "<2de> " : "<formal> ");
  }
  for (const SubwordType type : {SubwordType::kBpe, SubwordType::kUnigram}) {
    SubwordConfig with = config(type);
    with.symbols = {"<2de>", "<formal>", "»"};  // one that normalisation would change, too
    learn_subwords(folder_->write("tagged", text), Sides::kBoth, with, *folder_ / "symbols.model");
    const Subwords subwords(*folder_ / "symbols.model");
    EXPECT_EQ(subwords.size(), 200u);
    for (const std::string& symbol : with.symbols) {
      EXPECT_TRUE(subwords.is_symbol(symbol));
      EXPECT_FALSE(Subwords(model_path(type)).is_symbol(symbol));
      const std::vector<TokenId> tagged = subwords.encode(symbol + " bado kunü");
      std::vector<TokenId> expected = subwords.encode("bado kunü");
      ASSERT_EQ(subwords.encode(symbol).size(), 1u);
      expected.insert(expected.begin(), subwords.encode(symbol)[0]);
      EXPECT_EQ(tagged, expected) << symbol;
      EXPECT_EQ(subwords.decode(tagged), symbol + " bado kunü");
      EXPECT_THAT(subwords.encode_pieces("bado" + symbol + "kunü " + symbol),
                  ::testing::AllOf(::testing::Contains(symbol), ::testing::Contains("▁" + symbol)));
      std::vector<TokenId> by_word;
      WordEncoder(subwords).encode(symbol + " bado kunü", by_word);
      EXPECT_EQ(by_word, expected);
    }
    EXPECT_FALSE(subwords.is_symbol("bado"));
    EXPECT_FALSE(subwords.is_symbol("<2fr>"));
    EXPECT_FALSE(subwords.is_symbol("<2de> <formal>"));
    EXPECT_FALSE(subwords.is_symbol(""));
  }
  for (const char* wrong : {"", "<s>", "a b", "a,b", "\xff", "▁a"}) {
    EXPECT_ERROR(check_symbols({wrong}), UsageError, HasSubstr("symbol"));
  }
  EXPECT_ERROR(check_symbols({"<a>", "<a>"}), UsageError, HasSubstr("<a>"));
}

TEST_F(SubwordsTest, LearningIsDeterministic) {
  for (const SubwordType type : {SubwordType::kBpe, SubwordType::kUnigram}) {
    learn_subwords(*folder_ / "corpus", Sides::kBoth, config(type), *folder_ / "again.model");
    EXPECT_EQ(Subwords(*folder_ / "again.model").encode("badoku rasoti"),
              Subwords(model_path(type)).encode("badoku rasoti"));
  }
}

TEST_F(SubwordsTest, TooLargeAVocabularyNamesWhatIsPossible) {
  SubwordConfig large = config(SubwordType::kBpe);
  large.vocabulary = 100000;
  EXPECT_ERROR(learn_subwords(*folder_ / "corpus", Sides::kBoth, large, *folder_ / "no.model"), Error,
               HasSubstr("100000"), HasSubstr("subwords.vocabulary="));
  EXPECT_FALSE(std::filesystem::exists(*folder_ / "no.model"));
  large.type = SubwordType::kUnigram;
  EXPECT_ERROR(learn_subwords(*folder_ / "corpus", Sides::kBoth, large, *folder_ / "no.model"), Error,
               HasSubstr("subwords.vocabulary="));
}

TEST_F(SubwordsTest, TooSmallAVocabularyNamesWhatIsNeeded) {
  SubwordConfig small = config(SubwordType::kBpe);
  small.vocabulary = 8;
  EXPECT_ERROR(learn_subwords(*folder_ / "corpus", Sides::kBoth, small, *folder_ / "no.model"), Error,
               HasSubstr("8 pieces"), HasSubstr("subwords.vocabulary="));
}

// The number after "subwords.vocabulary=" in the refusal; 0 if there is none.
int64_t advised(const std::function<void()>& learn) {
  try {
    learn();
    return 0;
  } catch (const Error& error) {
    const std::string message = error.what(), key = "subwords.vocabulary=";
    EXPECT_THAT(message, HasSubstr(key));
    return std::stoll(message.substr(message.find(key) + key.size()));
  }
}

TEST_F(SubwordsTest, AdviceAboutTheVocabularyCanBeFollowed) {
  const std::string lopsided = "a\tb c d e f g h i j k l m n o p q r s t\n";
  for (const std::string& text : {std::string("abc abd\tabd bca\nbca cab\tbda dab\n"), training_text(), lopsided}) {
    const auto corpus = folder_->write("advice", text);
    for (const SubwordType type : {SubwordType::kBpe, SubwordType::kUnigram}) {
      for (const int64_t requested : {int64_t{8}, int64_t{100000}}) {
        for (const bool joint : {true, false}) {
          const auto learn_with = [&](int64_t vocabulary) {
            SubwordConfig config;
            override_with(config, vocabulary);
            config.type = type;
            if (joint) {
              learn_subwords(corpus, Sides::kBoth, config, *folder_ / "a.model");
            } else {
              learn_subwords_of_each_side(corpus, config, *folder_ / "a.model", *folder_ / "b.model");
            }
          };
          if (text == lopsided && !joint) continue;  // no number fits both sides
          const int64_t advice = advised([&] { learn_with(requested); });
          if (advice == 0) continue;
          EXPECT_NO_THROW(learn_with(advice)) << text.substr(0, 10) << " " << requested << " " << advice;
        }
      }
    }
  }
}

TEST_F(SubwordsTest, ATextOfTooFewPiecesNeedsMoreText) {
  const auto corpus = folder_->write("tiny", "a\ta\na\ta\n");
  EXPECT_ERROR(learn_subwords(corpus, Sides::kBoth, config(SubwordType::kBpe), *folder_ / "a.model"), Error,
               HasSubstr("7 pieces"), HasSubstr("8"), Not(HasSubstr("subwords.vocabulary=")));
}

TEST_F(SubwordsTest, SidesThatNoVocabularyFits) {
  const auto corpus = folder_->write("lopsided", "a\tb c d e f g h i j k l m n o p q r s t\n");
  SubwordConfig requested = config(SubwordType::kBpe);
  requested.vocabulary = 12;
  EXPECT_ERROR(learn_subwords_of_each_side(corpus, requested, *folder_ / "a.model", *folder_ / "b.model"), Error,
               HasSubstr("subwords.joint=true"));
}

TEST_F(SubwordsTest, RefusesOtherFiles) {
  EXPECT_ERROR(Subwords(folder_->write("junk", "not a model at all")), Error, HasSubstr("junk"));
  EXPECT_ERROR(Subwords(folder_->write("empty", "")), Error, HasSubstr("empty"));
  EXPECT_ERROR(Subwords(*folder_ / "absent"), Error, HasSubstr("absent"));
}

std::string random_text(Random& random) {
  // Words, odd blanks, characters that the normaliser changes, joins or removes, unknown ones.
  static constexpr const char* kParts[] = {"ba",     "do",     "kunü", " ",      "  ",     "\u00A0", "\u3000",
                                           "\u200B", "\u0308", "¨",    "ﬁ",      "½",      "Ω",      "漢",
                                           "\t",     "▁",      "n",    "\uFEFF", "<s>",    "</s>",   "\u00AD",
                                           "A",      "1",      ".",    "\u2581", "\u1E9B", "\u0323", "…"};
  std::string text;
  for (uint64_t i = 0, parts = random.below(20); i < parts; ++i) text += kParts[random.below(std::size(kParts))];
  return text;
}

TEST_F(SubwordsTest, WordEncoderIsExact) {
  Random random(5, 0);
  for (const SubwordType type : {SubwordType::kBpe, SubwordType::kUnigram}) {
    const Subwords subwords(model_path(type));
    EXPECT_EQ(subwords.encodes_by_word(), type == SubwordType::kBpe);
    WordEncoder encoder(subwords);
    std::vector<TokenId> ids;
    for (int i = 0; i < 20000; ++i) {
      const std::string text = random_text(random);
      ids.assign(1, -1);
      const size_t count = encoder.encode(text, ids);
      ASSERT_EQ(count, ids.size() - 1);
      ids.erase(ids.begin());
      ASSERT_EQ(ids, subwords.encode(text)) << '"' << text << '"';
    }
  }
}

TEST_F(SubwordsTest, SamplerWithoutDropoutMergesAsTheModelDoes) {
  const Subwords subwords(model_path(SubwordType::kBpe));
  const SubwordSampler sampler(subwords, 0);
  Random texts(7, 0), random(7, 1);
  for (int i = 0; i < 20000; ++i) {
    const std::vector<TokenId> ids = subwords.encode(random_text(texts));
    ASSERT_EQ(sampler.sample(ids, random), ids) << '"' << subwords.decode(ids) << '"';
  }
}

TEST_F(SubwordsTest, SamplerSplitsTheSameTextInOtherWays) {
  const Subwords subwords(model_path(SubwordType::kBpe));
  const std::string text = "bado kunüra sotiwe";
  const std::vector<TokenId> ids = subwords.encode(text);
  double length_before = 0;
  for (const double dropout : {0.0, 0.1, 0.5, 0.9}) {
    const SubwordSampler sampler(subwords, dropout);
    std::set<std::vector<TokenId>> splits;
    double length = 0;
    for (uint64_t stream = 0; stream < 500; ++stream) {
      Random random(3, stream);
      const std::vector<TokenId> split = sampler.sample(ids, random);
      EXPECT_EQ(subwords.decode(split), text);
      splits.insert(split);
      length += static_cast<double>(split.size());
      Random again(3, stream);
      EXPECT_EQ(sampler.sample(ids, again), split);
    }
    EXPECT_GT(length, length_before) << dropout;  // more dropout, shorter pieces
    EXPECT_EQ(splits.size() == 1, dropout == 0) << dropout;
    length_before = length;
  }
}

TEST_F(SubwordsTest, SamplerLeavesUnknownCharactersAlone) {
  const Subwords subwords(model_path(SubwordType::kBpe));
  const std::vector<TokenId> ids = subwords.encode("badokura Ω");
  Random random(1, 0);
  EXPECT_EQ(SubwordSampler(subwords, 0.9).sample(ids, random), ids);
  EXPECT_TRUE(SubwordSampler(subwords, 0.9).sample({}, random).empty());
}

// Bytes and marks that the user has defined are not text to be split, even if their names are.
TEST_F(SubwordsTest, SamplerKeepsBytesAndUserDefinedPiecesWhole) {
  const std::filesystem::path model = *folder_ / "marks.model";
  folder_->write("marks", training_text() + "<2de> [x] 0E6 < >\n");
  const std::string command = "spm_train --input=" + (*folder_ / "marks").string() +
                              " --model_prefix=" + (*folder_ / "marks").string() +
                              " --model_type=bpe --vocab_size=400 --byte_fallback --user_defined_symbols='<2de>,[x]'"
                              " --pad_id=0 --eos_id=1 --bos_id=2 --unk_id=3 --character_coverage=1 2> /dev/null";
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  const Subwords subwords(model);
  const SubwordSampler sampler(subwords, 0.5);
  const std::vector<TokenId> ids = subwords.encode("<2de> bado 漢 [x]");
  std::vector<TokenId> whole;
  for (const TokenId id : ids) {
    if (!subwords.is_ordinary(id)) whole.push_back(id);
  }
  ASSERT_EQ(whole.size(), 5u);  // two marks, three bytes
  for (uint64_t stream = 0; stream < 50; ++stream) {
    Random random(1, stream);
    std::vector<TokenId> kept;
    for (const TokenId id : sampler.sample(ids, random)) {
      if (!subwords.is_ordinary(id)) kept.push_back(id);
    }
    EXPECT_EQ(kept, whole);
  }
}

TEST_F(SubwordsTest, SamplerRefusesAModelWithoutMerges) {
  EXPECT_ERROR(SubwordSampler(Subwords(model_path(SubwordType::kUnigram)), 0.1), Error, HasSubstr("unigram"),
               HasSubstr("subwords.type=bpe"));
}

TEST_F(SubwordsTest, WhatIsNoModelIsRefused) {
  const std::string model = read_file(model_path(SubwordType::kUnigram));
  check_subword_model(model_path(SubwordType::kUnigram));
  ProtoMessage unknown, without_text;
  unknown.add_bytes(1, "<unk>").add_integer(3, 2);
  without_text.add(1, unknown);
  const std::vector<std::pair<std::string, std::string>> others = {{"empty", ""},
                                                                   {"text", "A line of text.\n"},
                                                                   {"json", "{\"</s>\": 0, \"<unk>\": 1}"},
                                                                   {"half", model.substr(0, model.size() / 2)},
                                                                   {"without", without_text.bytes()}};
  for (const auto& [name, content] : others) {
    EXPECT_ERROR(check_subword_model(folder_->write(name, content)), Error, HasSubstr(name));
  }
}

}  // namespace
}  // namespace verbund
