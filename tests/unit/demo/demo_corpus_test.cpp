#include "demo/demo_corpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>

#include "core/hash.h"
#include "core/utf8.h"
#include "demo/forms.h"

namespace verbund {
namespace {

using demo::Case;

// Made once: most tests look at the same sentences.
const GeneratedCorpus& big_corpus() {
  static const GeneratedCorpus corpus = demo_corpus(1, {});
  return corpus;
}

std::vector<const SentencePair*> all_pairs(const GeneratedCorpus& corpus) {
  std::vector<const SentencePair*> pairs;
  for (const auto* split : {&corpus.train, &corpus.dev, &corpus.test}) {
    for (const SentencePair& pair : *split) pairs.push_back(&pair);
  }
  return pairs;
}

size_t count_words(const std::string& sentence) {
  std::istringstream stream(sentence);
  std::string word;
  size_t count = 0;
  while (stream >> word) ++count;
  return count;
}

std::string fingerprint(const GeneratedCorpus& corpus) {
  Checksum checksum;
  for (const SentencePair* pair : all_pairs(corpus)) checksum.add(pair->source + "\t" + pair->target + "\n");
  return checksum.digest();
}

TEST(DemoCorpus, has_the_sizes_asked_for) {
  EXPECT_EQ(big_corpus().train.size(), 40000u);
  EXPECT_EQ(big_corpus().dev.size(), 1000u);
  EXPECT_EQ(big_corpus().test.size(), 1000u);
  EXPECT_TRUE(demo_corpus(1, {0, 0, 0}).train.empty());
}

TEST(DemoCorpus, is_a_pure_function_of_the_seed) {
  const GeneratedSizes small = {300, 30, 30};
  EXPECT_EQ(fingerprint(demo_corpus(7, small)), fingerprint(demo_corpus(7, small)));
  EXPECT_NE(fingerprint(demo_corpus(7, small)), fingerprint(demo_corpus(8, small)));
}

// Every machine and every compiler makes the same corpus. A change of grammar or lexicon
// changes this number: then read some sentences before writing down the new one.
TEST(DemoCorpus, is_the_same_everywhere) {
  EXPECT_EQ(fingerprint(demo_corpus(42, {1000, 100, 100})), "df15a5376893ee191fc3171f1d1a5da5");
}

TEST(DemoCorpus, dev_and_test_do_not_depend_on_the_size_of_train) {
  EXPECT_EQ(demo_corpus(1, {100, 1000, 1000}).test, big_corpus().test);
  EXPECT_EQ(demo_corpus(1, {100, 1000, 1000}).dev, big_corpus().dev);
}

TEST(DemoCorpus, no_sentence_occurs_twice) {
  std::set<std::string> sources, targets;
  for (const SentencePair* pair : all_pairs(big_corpus())) {
    EXPECT_TRUE(sources.insert(pair->source).second) << pair->source;
    EXPECT_TRUE(targets.insert(pair->target).second) << pair->target;
  }
}

// Over several seeds, so that the same English comes up again.
TEST(DemoCorpus, english_determines_german) {
  std::map<std::string, std::string> translation;
  size_t again = 0;
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    const GeneratedCorpus corpus = demo_corpus(seed, {40000, 0, 0});
    for (const SentencePair& pair : corpus.train) {
      const auto [known, is_new] = translation.try_emplace(pair.source, pair.target);
      again += !is_new;
      EXPECT_EQ(known->second, pair.target) << pair.source;
    }
  }
  EXPECT_GT(again, 500u);
}

TEST(DemoCorpus, sentences_are_written_properly) {
  for (const SentencePair* pair : all_pairs(big_corpus())) {
    for (const std::string& text : {pair->source, pair->target}) {
      ASSERT_TRUE(is_utf8(text));
      ASSERT_THAT(text, testing::Not(testing::HasSubstr("  ")));
      ASSERT_THAT(text, testing::Not(testing::HasSubstr(" ,")));
      ASSERT_THAT(text, testing::Not(testing::HasSubstr(",,")));
      ASSERT_TRUE(std::string_view(".?!").find(text.back()) != std::string_view::npos) << text;
      ASSERT_FALSE(text[0] >= 'a' && text[0] <= 'z') << text;
      const std::string first_two = text.substr(0, 2);
      ASSERT_FALSE(first_two == "ä" || first_two == "ö" || first_two == "ü") << text;
    }
    ASSERT_EQ(pair->source.back(), pair->target.back()) << pair->source;
  }
}

TEST(DemoCorpus, lengths_are_spread_from_short_to_long) {
  std::map<size_t, size_t> lengths;
  size_t total = 0;
  for (const SentencePair* pair : all_pairs(big_corpus())) {
    for (const std::string& text : {pair->source, pair->target}) {
      const size_t length = count_words(text);
      ASSERT_GE(length, 3u) << text;
      ASSERT_LE(length, 25u) << text;
      ++lengths[length];
      total += length;
    }
  }
  EXPECT_EQ(lengths.begin()->first, 3u);
  EXPECT_GE(lengths.rbegin()->first, 24u);
  const double mean = static_cast<double>(total) / (2.0 * all_pairs(big_corpus()).size());
  EXPECT_GT(mean, 8);
  EXPECT_LT(mean, 12);
}

// One string with every word of a side between spaces, punctuation cut off.
std::string running_text(bool german) {
  std::string text;
  for (const SentencePair* pair : all_pairs(big_corpus())) {
    text += ' ';
    for (const char letter : german ? pair->target : pair->source) {
      if (std::string_view(".,?!").find(letter) == std::string_view::npos) text += letter;
    }
  }
  for (char& letter : text) letter = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  return text + ' ';
}

bool occurs(const std::string& text, const std::string& words) {
  std::string key = ' ' + words + ' ';
  for (char& letter : key) letter = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  return text.find(key) != std::string::npos;
}

TEST(DemoCorpus, every_noun_is_used) {
  const std::string english = running_text(false), german = running_text(true);
  for (const demo::Noun& noun : demo::nouns()) {
    const bool plural_only = noun.classes == 0 && noun.place == demo::PlaceKind::kNone;  // euro
    if (!plural_only) {
      EXPECT_TRUE(occurs(english, noun.en)) << noun.en;
    }
    EXPECT_TRUE(occurs(german, german_noun(noun, Case::kDative, plural_only))) << noun.de;
    const bool only_a_place = (noun.classes & ~demo::kHome) == 0 && !plural_only;
    const bool has_plural = !noun.has(demo::kMass) && !noun.has(demo::kSingular) && !only_a_place;
    if (has_plural) {
      EXPECT_TRUE(occurs(german, noun.de_plural)) << noun.de_plural;
    }
  }
}

TEST(DemoCorpus, every_verb_is_used) {
  const std::string english = running_text(false), german = running_text(true);
  for (const demo::Verb& verb : demo::verbs()) {
    EXPECT_TRUE(occurs(english, verb.en_past) || occurs(english, verb.en_participle) || occurs(english, verb.en_ing) ||
                occurs(english, std::string(english_head(verb))))
        << verb.en;
    EXPECT_TRUE(occurs(german, verb.de_participle) || occurs(german, verb.de_preterite) ||
                occurs(german, verb.de_present))
        << verb.de;
    if (!english_tail(verb).empty()) {
      EXPECT_TRUE(occurs(english, std::string(english_tail(verb)))) << verb.en;
    }
  }
}

TEST(DemoCorpus, every_small_word_is_used) {
  const std::string english = running_text(false), german = running_text(true);
  for (const auto& table : {demo::adjectives(), demo::colours(), demo::attitudes()}) {
    for (const demo::Adjective& adjective : table) {
      EXPECT_TRUE(occurs(english, adjective.en)) << adjective.en;
      EXPECT_TRUE(occurs(german, adjective.de)) << adjective.de;
    }
  }
  for (const demo::Name& name : demo::names()) EXPECT_TRUE(occurs(german, name.text)) << name.text;
  for (const demo::Region& region : demo::regions()) EXPECT_TRUE(occurs(german, region.de_to)) << region.de_to;
  for (const demo::MannerAdverb& adverb : demo::manner_adverbs()) EXPECT_TRUE(occurs(english, adverb.en)) << adverb.en;
  for (const demo::Modal& modal : demo::modals())
    EXPECT_TRUE(modal.is_gern() ? occurs(german, "gern") : occurs(german, modal.de_present)) << modal.en;
}

TEST(DemoCorpus, every_construction_is_used) {
  const std::string german = running_text(true);
  for (const char* word :
       {"weil",    "obwohl",    "wenn",  "als",      "während", "bevor",   "nachdem", "sobald", "damit",
        "dass",    "ob",        "denn",  "deshalb",  "sondern", "um",      "ohne",    "dessen", "deren",
        "denen",   "wer",       "wen",   "wem",      "was",     "wo",      "wohin",   "wann",   "warum",
        "welches", "wie viele", "bitte", "lass uns", "wurde",   "gibt es", "im",      "am",     "zum",
        "zur",     "beim",      "vom",   "ins",      "keinen",  "nicht",   "nie",     "schon",  "noch",
        "gerade",  "wegen",     "trotz", "im jahr",  "uhr",     "euro"}) {
    EXPECT_TRUE(occurs(german, word)) << word;
  }
}

}  // namespace
}  // namespace verbund
