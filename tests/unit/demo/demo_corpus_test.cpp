// SPDX-License-Identifier: Apache-2.0
#include "demo/generated_corpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "core/hash.h"
#include "core/utf8.h"
#include "demo/grammar.h"

namespace verbund {
namespace {

// Made once: most tests look at the same sentences.
const GeneratedCorpus& big_corpus() {
  static const GeneratedCorpus corpus = demo_corpus(1, {20000, 1000, 1000});
  return corpus;
}

std::vector<const SentencePair*> all_pairs(const GeneratedCorpus& corpus) {
  std::vector<const SentencePair*> pairs;
  for (const auto* split : {&corpus.train, &corpus.dev, &corpus.test}) {
    for (const SentencePair& pair : *split) pairs.push_back(&pair);
  }
  return pairs;
}

std::string lower(std::string text) {
  for (char& letter : text) letter = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  return text;
}

// In lower case and without punctuation.
std::vector<std::string> words_of(std::string sentence) {
  std::erase_if(sentence, [](char letter) { return std::string_view(".,?!").find(letter) != std::string_view::npos; });
  std::istringstream stream(lower(sentence));
  return {std::istream_iterator<std::string>(stream), {}};
}

std::string fingerprint(const GeneratedCorpus& corpus) {
  Checksum checksum;
  for (const SentencePair* pair : all_pairs(corpus)) checksum.add(pair->source + "\t" + pair->target + "\n");
  return checksum.digest();
}

TEST(DemoCorpus, has_the_sizes_asked_for) {
  EXPECT_EQ(big_corpus().train.size(), 20000u);
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
  EXPECT_EQ(fingerprint(demo_corpus(42, {1000, 100, 100})), "93ba2bffc1785544070c57cb84fc5335");
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
    const GeneratedCorpus corpus = demo_corpus(seed, {20000, 0, 0});
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

TEST(DemoCorpus, most_sentences_are_of_middle_length) {
  size_t total = 0, middle = 0;
  for (const SentencePair* pair : all_pairs(big_corpus())) {
    for (const std::string& text : {pair->source, pair->target}) {
      const size_t length = words_of(text).size();
      ASSERT_GE(length, 3u) << text;
      ASSERT_LE(length, 16u) << text;
      ++total;
      middle += length >= 5 && length <= 14;
    }
  }
  EXPECT_GT(static_cast<double>(middle), 0.8 * static_cast<double>(total));
}

// All words of a side, in their order, in lower case and without punctuation.
std::vector<std::string> running_words(bool german) {
  std::vector<std::string> words;
  for (const SentencePair* pair : all_pairs(big_corpus())) {
    for (const std::string& word : words_of(german ? pair->target : pair->source)) words.push_back(word);
  }
  return words;
}

TEST(DemoCorpus, every_word_is_used) {
  const auto english = running_words(false), german = running_words(true);
  std::string text = " ";
  for (const auto* side : {&english, &german}) {
    for (const std::string& word : *side) text += word + " ";
  }
  const demo::Grammar grammar = demo::read_grammar(builtin_demo_files());
  for (const auto& [category, rules] : grammar.categories) {
    for (const demo::GrammarRule& rule : rules) {
      if (!rule.is_word) continue;
      bool is_used = rule.fields.empty();  // "who" is written by its rule
      for (const auto& [field, cell] : rule.fields) {
        is_used |= !cell.pieces.empty() && text.find(" " + lower(cell.pieces[0].text) + " ") != std::string::npos;
      }
      EXPECT_TRUE(is_used) << rule.position.file << ":" << rule.position.line;
    }
  }
}

TEST(DemoCorpus, articles_agree_with_their_nouns) {
  const std::map<std::string, std::string> genders = {{"tisch", "m"}, {"hund", "m"},    {"mantel", "m"}, {"zug", "m"},
                                                      {"frau", "f"},  {"tür", "f"},     {"katze", "f"},  {"jacke", "f"},
                                                      {"buch", "n"},  {"fahrrad", "n"}, {"kind", "n"},   {"bild", "n"}};
  const std::map<std::string, std::string> allowed = {
      {"das", "n"},     {"den", "m"},     {"dem", "mn"},  {"die", "f"},     {"der", "mf"},   {"dieses", "n"},
      {"diesen", "m"},  {"diesem", "mn"}, {"diese", "f"}, {"dieser", "mf"}, {"ein", "mn"},   {"eine", "f"},
      {"einen", "m"},   {"einem", "mn"},  {"einer", "f"}, {"kein", "n"},    {"keinen", "m"}, {"keine", "f"},
      {"seine", "f"},   {"seinen", "m"},  {"sein", "n"},  {"ihren", "m"},   {"ihr", "n"},    {"ihre", "f"},
      {"welchen", "m"}, {"welches", "n"}, {"welche", "f"}};
  const auto words = running_words(true);
  std::map<std::string, size_t> seen;
  for (size_t i = 1; i < words.size(); ++i) {
    const auto gender = genders.find(words[i]);
    const auto article = allowed.find(words[i - 1]);
    if (gender == genders.end() || article == allowed.end()) continue;
    ++seen[article->first];
    const bool subject_before = words[i - 1] == "ihr";  // "hat ihr Buch": may be a pronoun
    EXPECT_TRUE(subject_before || article->second.find(gender->second) != std::string::npos)
        << words[i - 1] << " " << words[i];
  }
  EXPECT_GT(seen.size(), 15u);
}

TEST(DemoCorpus, verbs_agree_with_pronouns) {
  const std::map<std::string, std::set<std::string>> wrong = {
      {"ich", {"hat", "hast", "haben", "ist", "bist", "sind", "wird", "wirst", "geht"}},
      {"du", {"hat", "habe", "haben", "ist", "bin", "sind", "wird", "werde", "geht"}},
      {"wir", {"hat", "habe", "hast", "ist", "bin", "bist", "wird", "werde", "geht"}},
      {"er", {"habe", "hast", "haben", "bin", "bist", "sind", "werde", "wirst", "werden"}}};
  for (const SentencePair* pair : all_pairs(big_corpus())) {
    const std::vector<std::string> words = words_of(pair->target);
    const auto found = wrong.find(words[0]);  // the verb is second
    if (found != wrong.end()) {
      EXPECT_FALSE(found->second.contains(words[1])) << pair->target;
    }
  }
}

TEST(DemoCorpus, every_construction_is_used) {
  const auto words = running_words(true);
  const std::set<std::string> used(words.begin(), words.end());
  for (const char* word :
       {"weil",  "obwohl", "wenn",   "als", "nachdem", "dass", "ob",    "deshalb", "sondern", "um",
        "dem",   "wer",    "wem",    "was", "wo",      "wann", "warum", "welches", "bitte",   "lass",
        "wurde", "gibt",   "im",     "am",  "zum",     "zur",  "vom",   "ins",     "keinen",  "nicht",
        "nie",   "schon",  "gerade", "uhr", "und",     "aber", "des",   "muss",    "zu"}) {
    EXPECT_TRUE(used.contains(word)) << word;
  }
}

}  // namespace
}  // namespace verbund
