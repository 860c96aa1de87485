// SPDX-License-Identifier: Apache-2.0
// From text to text: order, odd lines and long ones, with a real subword model and a made Transformer.
#include "decode/translator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/error.h"
#include "decode/ongoing_translation.h"
#include "support/expect_error.h"
#include "support/made_model.h"
#include "support/temporary_folder.h"
#include "text/subword_trainer.h"

namespace verbund {
namespace {

using ::testing::HasSubstr;

std::string random_words(Random& random, uint64_t count) {
  static constexpr const char* kSyllables[] = {"ba", "do", "ku", "li", "me", "nü", "ra", "so", "ti", "we"};
  std::string text;
  for (uint64_t word = 0; word < count; ++word) {
    if (word > 0) text += ' ';
    for (int syllable = 0; syllable < 2; ++syllable) text += kSyllables[random.below(10)];
  }
  return text;
}

class TranslatorTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    const TemporaryFolder folder;
    Random random(1, 0);
    std::string corpus;
    for (int i = 0; i < 500; ++i) {
      corpus += random_words(random, 1 + random.below(6)) + " .\t" + random_words(random, 1 + random.below(6)) + " .\n";
    }
    SubwordConfig config;
    config.vocabulary = 80;
    learn_subwords(folder.write("corpus", corpus), Sides::kBoth, config, folder / "joint.model");
    subwords_ = new Subwords(folder / "joint.model");

    ModelConfig model;
    model.d_model = model.d_ff = 16;
    model.heads = 2;
    model.encoder_layers = model.decoder_layers = 1;
    model_ = new MadeModel(made_model(model, {80, 80}, 1));
    sharpen_attention(*model_);
  }
  static void TearDownTestSuite() {
    delete subwords_;
    delete model_;
  }

  static TranslatorConfig config() {
    TranslatorConfig config;
    config.search.config.beam = 2;
    config.search.config.max_extra = 4;
    return config;
  }
  static Translator translator(const TranslatorConfig& config) {
    return Translator({model_->model.get()}, *subwords_, *subwords_, config);
  }
  static std::vector<std::vector<Translation>> translate(const std::vector<Line>& lines,
                                                         const TranslatorConfig& config) {
    return translator(config).translate(lines);
  }
  static std::string translate(const std::string& text) { return translate({{text}}, config()).at(0).at(0).text; }

  static Subwords* subwords_;
  static MadeModel* model_;
};
Subwords* TranslatorTest::subwords_ = nullptr;
MadeModel* TranslatorTest::model_ = nullptr;

TEST_F(TranslatorTest, TheOrderOfLinesIsKept) {
  Random random(2, 0);
  TranslatorConfig small = config();
  small.search.config.batch_tokens = 50;  // several batches, sorted by length
  std::vector<Line> lines;
  std::vector<Sentence> tokens;
  for (uint64_t i = 0; i < 60; ++i) {
    lines.push_back({random_words(random, 1 + random.below(9)), "", i + 1});
    tokens.push_back(subwords_->encode(lines.back().text));
  }
  const auto results = translate(lines, small);
  const auto token_results = translator(small).translate_tokens(tokens);
  ASSERT_EQ(results.size(), lines.size());
  ASSERT_EQ(token_results.size(), lines.size());
  std::set<std::string> different;
  for (size_t i = 0; i < lines.size(); ++i) {
    ASSERT_EQ(results[i].size(), 1u);
    EXPECT_EQ(results[i][0].text, translate(lines[i].text)) << i;
    EXPECT_EQ(results[i][0].text, subwords_->decode(token_results[i])) << i;
    different.insert(results[i][0].text);
  }
  EXPECT_GT(different.size(), 30u);
}

TEST_F(TranslatorTest, ATagIsPutBeforeEverySentence) {
  const TemporaryFolder folder;
  Random random(3, 0);
  std::string corpus;
  for (int i = 0; i < 500; ++i) corpus += random_words(random, 4) + " .\t" + random_words(random, 4) + " .\n";
  SubwordConfig subword_config;
  subword_config.vocabulary = 80;
  subword_config.symbols = {"<2de>"};
  learn_subwords(folder.write("corpus", corpus), Sides::kBoth, subword_config, folder / "joint.model");
  const Subwords subwords(folder / "joint.model");
  const auto made = [&](const TranslatorConfig& settings) {
    return Translator({model_->model.get()}, subwords, subwords, settings);
  };
  TranslatorConfig tagged = config();
  tagged.tag = "<2de>";
  tagged.search.align = true;
  const std::string line = random_words(random, 5);
  const Translation with = made(tagged).translate({{line}}).at(0).at(0);
  EXPECT_EQ(with.text, made(config()).translate({{"<2de> " + line}}).at(0).at(0).text);
  for (const auto& [source, target] : with.alignment) {
    EXPECT_GE(source, 0);
    EXPECT_LT(source, static_cast<int32_t>(subwords.encode(line).size()));
  }
  EXPECT_TRUE(made(tagged).segments_of({""}).empty());

  tagged.search.config.max_tokens = 10;  // each part of a long line has the tag, and fits with it
  Sentence whole;
  const std::string long_line = random_words(random, 30);
  for (const SearchTask& part : made(tagged).segments_of({long_line})) {
    EXPECT_EQ(part.source.at(0), subwords.encode("<2de>").at(0));
    EXPECT_LE(part.source.size(), 10u);
    whole.insert(whole.end(), part.source.begin() + 1, part.source.end());
  }
  EXPECT_EQ(whole, subwords.encode(long_line));
  tagged.tag = "<2fr>";
  EXPECT_ERROR(made(tagged), UsageError, HasSubstr("<2fr>"));
}

TEST_F(TranslatorTest, EmptyLinesStayEmpty) {
  const auto results = translate({{""}, {"bado kunü"}, {"  \t "}, {"\u3000"}, {""}}, config());
  ASSERT_EQ(results.size(), 5u);
  for (const size_t i : {0, 2, 3, 4}) {
    ASSERT_EQ(results[i].size(), 1u) << i;
    EXPECT_EQ(results[i][0].text, "") << i;
  }
  EXPECT_EQ(results[1].at(0).text, translate("bado kunü"));
  EXPECT_NE(results[1].at(0).text, "");
  EXPECT_TRUE(translate(std::vector<Line>(), config()).empty());
}

// 10,000 words in 2,500 sentences, of which one fits at a time: each is translated for itself.
TEST_F(TranslatorTest, LongLinesAreSplitBetweenSentences) {
  Random random(3, 0);
  std::vector<Line> sentences;
  std::string all;
  size_t longest = 0, shortest = 1000, tokens = 0;
  for (int i = 0; i < 2500; ++i) {
    sentences.push_back({random_words(random, 3) + " ."});
    all += (i > 0 ? " " : "") + sentences.back().text;
    const size_t size = subwords_->encode(sentences.back().text).size();
    longest = std::max(longest, size);
    shortest = std::min(shortest, size);
    tokens += size;
  }
  ASSERT_LT(longest, 2 * shortest);
  TranslatorConfig split = config();
  split.search.config.max_tokens = static_cast<int64_t>(longest);
  split.search.align = true;
  const auto results = translate({{"bado"}, {all}, {"kunü"}}, split);
  ASSERT_EQ(results.size(), 3u);
  ASSERT_EQ(results[1].size(), 1u);
  std::string expected;
  double score = 0;
  for (const auto& translations : translate(sentences, config())) {
    const Translation& translation = translations.at(0);
    expected += (expected.empty() || translation.text.empty() ? "" : " ") + translation.text;
    score += translation.score;
  }
  EXPECT_EQ(results[1][0].text, expected);
  EXPECT_NEAR(results[1][0].score, score, 1e-6 * std::abs(score));
  EXPECT_EQ(results[0].at(0).text, translate("bado"));
  EXPECT_EQ(results[2].at(0).text, translate("kunü"));

  const auto& alignment = results[1][0].alignment;
  ASSERT_FALSE(alignment.empty());
  EXPECT_GT(alignment.back().first, static_cast<int32_t>(tokens - 20 * longest)) << "pieces count on";
  for (const auto& [source, target] : alignment) {
    ASSERT_LT(source, static_cast<int32_t>(tokens));
    ASSERT_LT(target, static_cast<int32_t>(results[1][0].pieces.size()));
  }
}

// A model has learned to translate sentences, one at a time: a line that is too long is cut at each of their ends,
// however many would fit.
TEST_F(TranslatorTest, LongLinesAreTranslatedSentenceBySentence) {
  TranslatorConfig split = config();
  split.search.config.max_tokens = 20;
  std::string all, expected;
  for (const char* sentence : {"bado kunü ra .", "so ti we .", "meli badoku .", "rasoti wenü .", "doku ."}) {
    all += (all.empty() ? "" : " ") + std::string(sentence);
    const std::string translation = translate(sentence);
    expected += (expected.empty() || translation.empty() ? "" : " ") + translation;
  }
  ASSERT_GT(subwords_->encode(all).size(), 20u);
  EXPECT_EQ(translate({{all}}, split)[0][0].text, expected);
}

TEST_F(TranslatorTest, TokensAreTranslatedAsLinesAre) {
  Random random(8, 0);
  TranslatorConfig split = config();
  split.search.config.max_tokens = 30;
  const Translator translator({model_->model.get()}, *subwords_, *subwords_, split);
  const std::vector<std::string> texts = {"", "bado kunü", random_words(random, 100), "   "};
  std::vector<Line> lines;
  std::vector<Sentence> tokens;
  for (const std::string& text : texts) {
    lines.push_back({text});
    tokens.push_back(subwords_->encode(text));
  }
  const auto by_line = translator.translate(lines);
  const auto by_token = translator.translate_tokens(tokens);
  for (size_t i = 0; i < texts.size(); ++i) {
    std::string pieces, expected;
    for (const TokenId token : by_token[i]) pieces += subwords_->piece(token) + " ";
    for (const std::string& piece : by_line[i].at(0).pieces) expected += piece + " ";
    EXPECT_EQ(pieces, expected) << texts[i];
  }
}

TEST_F(TranslatorTest, ATagInTheTextStandsBeforeEachPartOfALongLine) {
  const TemporaryFolder folder;
  Random random(9, 0);
  SubwordConfig vocabulary;
  vocabulary.vocabulary = 80;
  vocabulary.symbols = {"<2de>"};
  std::string corpus;
  for (int i = 0; i < 500; ++i) corpus += random_words(random, 5) + " .\t" + random_words(random, 5) + " .\n";
  learn_subwords(folder.write("corpus", corpus), Sides::kBoth, vocabulary, folder / "tagged.model");
  const Subwords tagged(folder / "tagged.model");
  TranslatorConfig split = config(), with_tag;
  split.search.config.max_tokens = 30;
  with_tag = split;
  with_tag.tag = "<2de>";
  const std::string text = random_words(random, 60);
  const Translator in_text({model_->model.get()}, tagged, tagged, split);
  const Translator as_flag({model_->model.get()}, tagged, tagged, with_tag);
  const Sentence found = in_text.translate_tokens({tagged.encode("<2de> " + text)}).at(0);
  std::vector<std::string> pieces;
  for (const TokenId token : found) pieces.push_back(tagged.piece(token));
  const Translation expected = as_flag.translate({{text}}).at(0).at(0);
  EXPECT_EQ(pieces, expected.pieces);
  const Translation line = in_text.translate({{"<2de> " + text}}).at(0).at(0);
  EXPECT_EQ(line.text, expected.text);
  const auto source_pieces = static_cast<int32_t>(tagged.encode("<2de> " + text).size());
  for (const auto& [source, target] : line.alignment) EXPECT_LT(source, source_pieces);

  const SplitLine sentences = in_text.split("<2de> " + text);
  ASSERT_GT(sentences.sentences.size(), 1u);
  EXPECT_EQ(sentences.repeated_words, 1);
  for (const std::string& sentence : sentences.sentences) EXPECT_TRUE(sentence.starts_with("<2de> ")) << sentence;
}

// No full stop, and at last no blank either: still every part is translated.
TEST_F(TranslatorTest, LongLinesWithoutSentencesAreSplitBetweenWordsOrAnywhere) {
  const MadeModel endless = made_model(model_->config, model_->sizes, 1, -50);
  Random random(4, 0);
  TranslatorConfig split = config();
  split.search.config.max_tokens = 100;
  split.search.config.max_ratio = 0;
  split.search.config.max_extra = 3;
  const Translator translator({endless.model.get()}, *subwords_, *subwords_, split);
  std::string words = random_words(random, 10000), one_word = words;
  std::erase(one_word, ' ');
  for (const std::string& text : {words, one_word}) {
    const size_t tokens = subwords_->encode(text).size();
    const auto results = translator.translate({{text}});
    // Each piece of the line becomes three of the translation.
    EXPECT_GE(results.at(0).at(0).pieces.size(), 3 * (tokens / 100));
    EXPECT_LE(results.at(0).at(0).pieces.size(), 3 * (tokens / 50 + 1));
    EXPECT_EQ(results.at(0).at(0).pieces.size() % 3, 0u);
  }
}

TEST_F(TranslatorTest, LongLinesAreRefusedIfWanted) {
  Random random(5, 0);
  TranslatorConfig refuse = config();
  refuse.long_lines = LongLines::kRefuse;
  refuse.search.config.max_tokens = 512;
  const std::string text = random_words(random, 10000);
  EXPECT_ERROR(translate({{"bado", "", 6}, {text, "", 7}}, refuse), Error, HasSubstr("line 7 "),
               HasSubstr(std::to_string(subwords_->encode(text).size())), HasSubstr(" 512 "),
               HasSubstr("--long-lines split"));
  const Sentence ids = subwords_->encode("bado kunü");
  refuse.search.config.max_tokens = static_cast<int64_t>(ids.size());
  EXPECT_EQ(translate({{"bado kunü"}}, refuse)[0][0].text, translate("bado kunü")) << "just as long as is allowed";
}

TEST_F(TranslatorTest, InvalidTextIsNamed) {
  EXPECT_ERROR(translate({{"bado", "", 11}, {"k\xFFu", "", 12}}, config()), Error, HasSubstr("line 12"),
               HasSubstr("UTF-8"));
  EXPECT_ERROR(translate({{"bado", "k\xC3", 13}}, config()), Error, HasSubstr("line 13"), HasSubstr("UTF-8"));
}

TEST_F(TranslatorTest, UnknownCharactersAndZeroBytesAreTranslated) {
  const auto results = translate({{"漢字 😀 bado"}, {std::string("bado\0kunü", 10)}}, config());
  EXPECT_EQ(results.size(), 2u);
  for (const auto& translations : results) EXPECT_FALSE(translations.at(0).pieces.empty());
}

TEST_F(TranslatorTest, ThePrefixBeginsTheTranslation) {
  const auto results = translate({{"bado kunü", "raso ti"}, {"bado kunü"}}, config());
  EXPECT_EQ(results[0].at(0).text.rfind("raso ti", 0), 0u) << results[0][0].text;
  EXPECT_NE(results[0][0].text, results[1].at(0).text);
}

TEST_F(TranslatorTest, PiecesAreAlignedWithPieces) {
  TranslatorConfig align = config();
  align.search.align = true;
  Random random(6, 0);
  std::vector<Line> lines;
  for (int i = 0; i < 30; ++i) lines.push_back({random_words(random, 1 + random.below(4))});
  size_t pieces = 0, aligned = 0;
  const auto results = translate(lines, align);
  for (size_t i = 0; i < lines.size(); ++i) {
    const auto source = static_cast<int32_t>(subwords_->encode(lines[i].text).size());
    const Translation& translation = results[i].at(0);
    for (const auto& [from, to] : translation.alignment) {
      EXPECT_LT(from, source);
      EXPECT_LT(to, static_cast<int32_t>(translation.pieces.size()));
    }
    pieces += translation.pieces.size();
    aligned += translation.alignment.size();
  }
  EXPECT_GT(aligned, pieces / 2);
  EXPECT_LT(aligned, pieces) << "some attend to the end of the source";
}

bool identical(const std::vector<Translation>& a, const std::vector<Translation>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Translation& x, const Translation& y) {
    return x.text == y.text && x.score == y.score && x.alignment == y.alignment && x.pieces == y.pieces &&
           x.finished == y.finished && x.split == y.split;
  });
}

// Lines that join at any time, empty and long ones too, are translated as they are alone.
TEST_F(TranslatorTest, LinesJoinAtAnyTime) {
  Random random(8, 0);
  TranslatorConfig ongoing_config = config();
  ongoing_config.search.config.max_tokens = 20;
  ongoing_config.search.config.batch_tokens = 100;
  struct Asked {
    std::string text;
    TranslationNeeds needs;
    std::vector<Translation> found;
  };
  std::vector<Asked> asked;
  size_t done = 0, steps_without_room = 0;
  const std::unique_ptr<OngoingTranslation> ongoing = begin_translation(translator(ongoing_config));
  EXPECT_TRUE(ongoing->step().empty());
  EXPECT_THROW(ongoing->add("\xff", {}), Error);
  while (done < 200) {
    for (uint64_t n = random.below(6); n > 0 && asked.size() < 200; --n) {
      if (!ongoing->has_room()) break;
      const uint64_t words = asked.size() % 20 == 7 ? 100 : asked.size() % 20 == 8 ? 0 : 1 + random.below(6);
      asked.push_back(
          {random_words(random, words), {1 + static_cast<int64_t>(random.below(2)), random.below(2) == 0}, {}});
      EXPECT_EQ(ongoing->add(asked.back().text, asked.back().needs), asked.size() - 1);
    }
    steps_without_room += ongoing->has_room() ? 0 : 1;
    for (OngoingTranslation::Done& each : ongoing->step()) {
      EXPECT_TRUE(asked.at(each.number).found.empty());
      asked[each.number].found = std::move(each.translations);
      ++done;
    }
  }
  EXPECT_GT(steps_without_room, 10u);
  size_t split = 0;
  for (size_t i = 0; i < asked.size(); ++i) {
    TranslatorConfig alone = ongoing_config;
    alone.search.nbest = asked[i].needs.nbest;
    alone.search.align = asked[i].needs.align;
    EXPECT_TRUE(identical(asked[i].found, translate({{asked[i].text, "", 1}}, alone)[0])) << i;
    split += asked[i].found[0].split ? 1 : 0;
  }
  EXPECT_EQ(split, 10u);
}

// A line of many sentences, which are under way a few at a time, lets a short one pass.
TEST_F(TranslatorTest, LongLinesLetOthersPass) {
  Random random(9, 0);
  TranslatorConfig ongoing_config = config();
  ongoing_config.search.config.max_tokens = 20;
  ongoing_config.search.config.batch_tokens = 50;
  const std::unique_ptr<OngoingTranslation> ongoing = begin_translation(translator(ongoing_config));
  ongoing->add(random_words(random, 2000), {});
  std::vector<size_t> done;
  for (bool is_short_in = false; done.size() < 2;) {
    for (const OngoingTranslation::Done& each : ongoing->step()) done.push_back(each.number);
    if (is_short_in || !ongoing->has_room()) continue;
    ongoing->add("bado kunü", {});
    is_short_in = true;
  }
  EXPECT_EQ(done, (std::vector<size_t>{1, 0}));
}

TEST_F(TranslatorTest, TheBestTranslationsComeInOrder) {
  TranslatorConfig nbest = config();
  nbest.search.config.beam = 5;
  nbest.search.nbest = 5;
  const auto results = translate({{"bado kunü raso ."}}, nbest);
  ASSERT_EQ(results.at(0).size(), 5u);
  std::set<std::vector<std::string>> different;
  for (size_t i = 0; i < 5; ++i) {
    const Translation& translation = results[0][i];
    EXPECT_LE(translation.score, results[0][i == 0 ? 0 : i - 1].score);
    different.insert(translation.pieces);
  }
  EXPECT_EQ(different.size(), 5u);
}

}  // namespace
}  // namespace verbund
