// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "core/random.h"
#include "core/utf8.h"
#include "serve/text_document.h"
#include "serve/word_alignment.h"
#include "support/made_translator.h"

namespace verbund {
namespace {

// Lines are cut after each full stop, words are pieces.
SentenceRules made_rules() {
  return {[](const std::string& line) {
            std::vector<std::string> sentences = {""};
            for (const std::string& word : words_of(line)) {
              if (sentences.back().ends_with('.')) sentences.emplace_back();
              sentences.back() += (sentences.back().empty() ? "" : " ") + word;
            }
            return sentences;
          },
          [](const std::string& sentence) {
            std::vector<std::string> pieces;
            for (const std::string& word : words_of(sentence)) pieces.push_back("▁" + word);
            return pieces;
          }};
}

// The words in upper case; `order` is the source word of each, their own order if it is empty.
Translation made_translation(const std::string& sentence, const std::vector<int>& order = {}) {
  Translation translation;
  const std::vector<std::string> words = words_of(sentence);
  for (size_t i = 0; i < (order.empty() ? words.size() : order.size()); ++i) {
    const int source = order.empty() ? static_cast<int>(i) : order[i];
    const std::string word = source < 0 ? "NEW" : upper_case(words[static_cast<size_t>(source)]);
    translation.text += (i == 0 ? "" : " ") + word;
    translation.pieces.push_back("▁" + word);
    if (source >= 0) translation.alignment.emplace_back(source, static_cast<int>(i));
  }
  return translation;
}

std::string translated_html(const std::string& html, const std::vector<int>& order = {}) {
  const auto document = html_document(html, made_rules());
  std::vector<std::vector<Translation>> translations;
  for (const std::string& sentence : document->sentences()) translations.push_back({made_translation(sentence, order)});
  return document->translated(translations, 0);
}

std::string translated_text(const std::string& text) {
  const auto document = plain_document(text, made_rules());
  std::vector<std::vector<Translation>> translations;
  for (const std::string& sentence : document->sentences()) translations.push_back({made_translation(sentence)});
  return document->translated(translations, 0);
}

TEST(PlainDocument, KeepsItsLines) {
  EXPECT_EQ(translated_text("one\ntwo. three\n\n  \nfour\r\n"), "ONE\nTWO. THREE\n\n\nFOUR\r\n");
  EXPECT_EQ(translated_text(""), "");
  EXPECT_EQ(translated_text("\n"), "\n");
  EXPECT_EQ(plain_document("a b. c d. e\nf", made_rules())->sentences(),
            (std::vector<std::string>{"a b.", "c d.", "e", "f"}));
}

TEST(PlainDocument, TakesTheBestWhereThereIsNoOtherTranslation) {
  const auto document = plain_document("a\nb", made_rules());
  Translation a, other, b;
  a.text = "A";
  other.text = "A2";
  b.text = "B";
  EXPECT_EQ(document->translated({{a, other}, {b}}, 1), "A2\nB");
}

TEST(HtmlDocument, KeepsTagsWhereTheyWere) {
  for (const auto& [html, expected] : std::map<std::string, std::string>{
           {"plain words", "PLAIN WORDS"},
           {"<p>one two</p>\n<p>three</p>", "<p>ONE TWO</p>\n<p>THREE</p>"},
           {"a <b>bold</b> word", "A <b>BOLD</b> WORD"},
           {"a <a href=\"x>y\"><i>deep</i> link</a>.", "A <a href=\"x>y\"><i>DEEP</i> LINK.</a>"},
           {"<li>one<br>two<li>three", "<li>ONE<br>TWO<li>THREE"},
           {"see <img src=x> this", "SEE <img src=x> THIS"},
           {"the end <img src=x>", "THE END <img src=x>"},
           {"call <code>f(x)</code> now", "CALL <code>f(x)</code> NOW"},
           {"<script>var a = '<b>';</script>text", "<script>var a = '<b>';</script>TEXT"},
           {"<style>p {}</style> <!-- note --> text", "<style>p {}</style> <!-- note --> TEXT"},
           {"<p translate=\"no\">name <b>x</b></p><p>word</p>", "<p translate=\"no\">name <b>x</b></p><p>WORD</p>"},
           {"<span class=\"notranslate\">Verbund</span> learns", "<span class=\"notranslate\">Verbund</span> LEARNS"},
           {"fish &amp; chips &lt;3", "FISH &amp; CHIPS &lt;3"},
           {"1 < 2 and 3 > 2", "1 &lt; 2 AND 3 &gt; 2"},
           {"un<b>believ</b>able", "<b>UNBELIEVABLE</b>"},
           {"an <b></b> empty one", "AN <b></b> EMPTY ONE"},
           {"<b>open <p>and</b> crossed", "<b>OPEN <p>AND</b> CROSSED"},
           {"<b><i>crossed</b></i>", "<b><i>CROSSED</i></b>"},
           {"one<img src=x>two", "ONE<img src=x>TWO"},
           {"long<wbr>word", "LONGWORD<wbr>"},
           {"<p>  spaces   inside </p>", "<p>  SPACES INSIDE </p>"},
           {"<p></p>", "<p></p>"},
           {"", ""}}) {
    EXPECT_EQ(translated_html(html), expected) << html;
  }
}

TEST(HtmlDocument, TagsFollowTheirWords) {
  EXPECT_EQ(translated_html("a <b>c</b> d", {2, 1, 0}), "D <b>C</b> A");
  EXPECT_EQ(translated_html("<b>a c</b> d", {1, 2, 0}), "<b>C</b> D <b>A</b>") << "words that part";
  EXPECT_EQ(translated_html("<i><b>a</b> c</i> d", {1, 0, 2}), "<i>C <b>A</b></i> D");
  EXPECT_EQ(translated_html("<b>a</b> c", {0, -1, 1}), "<b>A NEW</b> C") << "a new word belongs to the one before it";
  EXPECT_EQ(translated_html("x <a href=y>link</a> z", {0, 2}), "X <a href=y>Z</a>") << "no link is lost";
}

TEST(HtmlDocument, BearsAnyText) {
  const std::string whole =
      "<p class=\"a\">One <b>two <i>three</i></b>, <a href='x'>four</a>.<br>\n<!-- c --><code>x</code> &amp; &#228; "
      "<script>1 < 2</script><img src=\"y\"/><span translate=no>no</span></p>";
  for (uint64_t i = 0; i < 10000; ++i) {
    Random random(9, i);
    std::string html = whole;
    for (uint64_t changes = 1 + random.below(6); changes > 0; --changes) {
      const size_t at = random.below(html.size());
      if (random.below(3) == 0) {
        html.erase(at, random.below(10));
      } else if (random.below(2) == 0) {
        html.insert(at, whole.substr(random.below(whole.size()), random.below(20)));
      } else {
        html[at] = static_cast<char>(random.below(128));
      }
      if (html.empty()) html = "<";
    }
    const auto document = html_document(html, made_rules());
    std::vector<std::vector<Translation>> translations;
    for (const std::string& sentence : document->sentences()) {
      std::vector<int> order;
      for (size_t word = words_of(sentence).size(); word > 0; --word) order.push_back(static_cast<int>(word) - 1);
      translations.push_back({made_translation(sentence, order)});
    }
    document->translated(translations, 0);
  }
}

TEST(HtmlDocument, LargeHostileTextsTakeLittleTime) {
  constexpr size_t kRepeats = 100000;
  for (const char* const part : {"<", "<b", "<b>", "</b>", "<b x='", "<code>", "<!--", "&", "<b>a</b>", "<b>a", "a "}) {
    std::string html;
    for (size_t i = 0; i < kRepeats; ++i) html += part;
    const auto begin = std::chrono::steady_clock::now();
    translated_html(html + ">");
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20)) << part;
  }
}

}  // namespace
}  // namespace verbund
