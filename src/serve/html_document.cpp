// SPDX-License-Identifier: Apache-2.0
// Each word of a translation is given the elements that its source word stands in, by the model's attention; tags open
// and close where these change. So the result is well-formed in any order of words, and an element whose words part is
// there twice.
#include <algorithm>
#include <map>
#include <utility>

#include "serve/html_tokens.h"
#include "serve/text_document.h"
#include "serve/word_alignment.h"
#include "text/entities.h"

namespace verbund {
namespace {

constexpr int kNoElement = -1;
constexpr size_t kDeepest = 64;  // elements in each other; tags of deeper ones are atoms

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

struct HtmlElement {
  std::string open, close;
  int parent = kNoElement;
  bool has_words = false;
};

struct HtmlWord {
  std::string text;
  int element = kNoElement;
  std::vector<std::string> before;  // atoms
  bool has_blank_before = true;     // before its atoms
};

// HtmlBlock is the text between two breaks.
class HtmlBlock {
 public:
  explicit HtmlBlock(const std::vector<HtmlToken>& tokens) {
    find_elements(tokens);
    std::vector<std::string> atoms;
    std::string blanks_before_atoms;
    const auto add_atom = [&](const std::string& atom) {
      if (atoms.empty()) blanks_before_atoms = std::exchange(trailing_, "");
      atoms.push_back(atom);
    };
    int inside = kNoElement;
    bool in_word = false;
    for (size_t i = 0; i < tokens.size(); ++i) {
      const auto element = element_at_.find(i);
      if (tokens[i].kind == HtmlKind::kText) {
        add_text(tokens[i].text, inside, atoms, blanks_before_atoms, in_word);
      } else if (element == element_at_.end()) {
        add_atom(tokens[i].text);
        if (parts_words(tokens[i])) in_word = false;
      } else if (tokens[i].kind == HtmlKind::kOpen) {
        inside = element->second;
      } else {
        HtmlElement& closed = elements_[static_cast<size_t>(element->second)];
        if (!closed.has_words) add_atom(closed.open + closed.close);  // nothing of it is translated
        inside = closed.parent;
      }
    }
    if (!atoms.empty()) atoms.front().insert(0, blanks_before_atoms);
    after_ = std::move(atoms);
  }

  std::string text() const {
    std::string text;
    for (const HtmlWord& word : words_) text += (text.empty() ? "" : " ") + word.text;
    return text;
  }
  const std::vector<HtmlWord>& words() const { return words_; }

  // `sources`: of each word of the translation, its source word, or -1.
  std::string rebuilt(const std::vector<std::string>& target, std::vector<int> sources) const {
    give_every_element_a_word(sources);
    std::string html = leading_;
    if (!words_.empty()) append(html, words_.front().before);
    std::vector<bool> is_placed(words_.size());
    int inside = kNoElement, source = 0;
    for (size_t i = 0; i < target.size(); ++i) {
      source = sources[i] >= 0 ? sources[i] : source;
      const HtmlWord& word = words_[static_cast<size_t>(source)];
      close_to(html, inside, common(inside, word.element));
      const bool brings_atoms = source > 0 && !is_placed[static_cast<size_t>(source)];
      if (i > 0 && (!brings_atoms || word.has_blank_before)) html += ' ';
      if (brings_atoms) append(html, word.before);
      is_placed[static_cast<size_t>(source)] = true;
      open_to(html, common(inside, word.element), word.element);
      inside = word.element;
      html += encode_entities(target[i]);
    }
    close_to(html, inside, kNoElement);
    for (size_t i = 1; i < words_.size(); ++i) {
      if (!is_placed[i]) append(html, words_[i].before);
    }
    append(html, after_);
    return html + trailing_;
  }

 private:
  // Pairs of tags within the block; others are atoms.
  void find_elements(const std::vector<HtmlToken>& tokens) {
    std::vector<size_t> open;
    std::vector<size_t> partner(tokens.size(), tokens.size());
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i].kind == HtmlKind::kOpen && open.size() < kDeepest) open.push_back(i);
      if (tokens[i].kind != HtmlKind::kClose || open.empty() || tokens[open.back()].name != tokens[i].name) continue;
      partner[open.back()] = i;
      partner[i] = open.back();
      open.pop_back();
    }
    int parent = kNoElement;
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (partner[i] == tokens.size()) continue;
      if (tokens[i].kind == HtmlKind::kOpen) {
        elements_.push_back({tokens[i].text, tokens[partner[i]].text, parent});
        parent = element_at_[i] = element_at_[partner[i]] = static_cast<int>(elements_.size()) - 1;
      } else {
        parent = elements_[static_cast<size_t>(element_at_[i])].parent;
      }
    }
  }

  // A picture stands between words; a tag that belongs to another block, a comment or <wbr> may stand within one.
  static bool parts_words(const HtmlToken& token) {
    return token.kind == HtmlKind::kAtom && !token.name.empty() && token.name != "wbr";
  }

  void add_text(const std::string& text, int inside, std::vector<std::string>& atoms,
                const std::string& blanks_before_atoms, bool& in_word) {
    for (const char c : text) {
      if (is_blank(c)) {
        if (!atoms.empty()) {
          if (!is_blank(atoms.back().back())) atoms.back() += ' ';
        } else {
          (words_.empty() ? leading_ : trailing_) += c;
        }
        in_word = false;
        continue;
      }
      trailing_.clear();
      if (!in_word) {
        words_.push_back({"", inside, {}, atoms.empty() || !blanks_before_atoms.empty()});
        words_.back().before.swap(atoms);
        mark_words(inside);
      } else if (inside != words_.back().element && common(inside, words_.back().element) == words_.back().element) {
        words_.back().element = inside;  // a part of the word stands deeper: all of it does
        mark_words(inside);
      }
      in_word = true;
      words_.back().text += c;
    }
  }

  void mark_words(int element) {
    for (; element != kNoElement; element = elements_[static_cast<size_t>(element)].parent) {
      elements_[static_cast<size_t>(element)].has_words = true;
    }
  }

  bool contains(int outer, int element) const {
    for (; element != kNoElement; element = elements_[static_cast<size_t>(element)].parent) {
      if (element == outer) return true;
    }
    return outer == kNoElement;
  }
  int common(int a, int b) const {
    while (!contains(a, b)) a = elements_[static_cast<size_t>(a)].parent;
    return a;
  }
  void close_to(std::string& html, int from, int to) const {
    for (; from != to; from = elements_[static_cast<size_t>(from)].parent) {
      html += elements_[static_cast<size_t>(from)].close;
    }
  }
  void open_to(std::string& html, int from, int to) const {
    if (from == to) return;
    open_to(html, from, elements_[static_cast<size_t>(to)].parent);
    html += elements_[static_cast<size_t>(to)].open;
  }
  static void append(std::string& html, const std::vector<std::string>& atoms) {
    for (const std::string& atom : atoms) html += atom;
  }

  // A word of the source that no word of the translation belongs to may be the only one of a link: the word at the same
  // place of the translation takes its part.
  void give_every_element_a_word(std::vector<int>& sources) const {
    if (sources.empty()) return;
    std::vector<bool> has_word(elements_.size());
    const auto mark = [&](size_t word) {
      for (int e = words_[word].element; e != kNoElement; e = elements_[static_cast<size_t>(e)].parent) {
        has_word[static_cast<size_t>(e)] = true;
      }
    };
    int source = 0;
    for (int& each : sources) {
      each = source = each >= 0 ? each : source;
      mark(static_cast<size_t>(each));
    }
    for (size_t word = 0; word < words_.size(); ++word) {
      const int element = words_[word].element;
      if (element == kNoElement || has_word[static_cast<size_t>(element)]) continue;
      sources[(2 * word + 1) * sources.size() / (2 * words_.size())] = static_cast<int>(word);
      mark(word);
    }
  }

  std::vector<HtmlElement> elements_;
  std::map<size_t, int> element_at_;  // token -> element
  std::vector<HtmlWord> words_;
  std::vector<std::string> after_;  // atoms
  std::string leading_, trailing_;  // blanks
};

class HtmlDocument final : public Document {
 public:
  HtmlDocument(const std::string& html, const SentenceRules& rules) : source_pieces_(rules.source_pieces) {
    std::vector<HtmlToken> run;
    for (HtmlToken& token : html_tokens(html)) {
      if (token.kind != HtmlKind::kBreak) {
        run.push_back(std::move(token));
        continue;
      }
      end_block(run, rules);
      parts_.push_back({token.text, {}, {}});
    }
    end_block(run, rules);
  }

  std::string translated(const std::vector<std::vector<Translation>>& translations, size_t rank) const override {
    std::string html;
    for (const Part& part : parts_) html += part.block.empty() ? part.raw : rebuilt(part, translations, rank);
    return html;
  }

 private:
  struct Part {
    std::string raw;               // a break, or a run without words
    std::vector<HtmlBlock> block;  // at most one
    std::vector<size_t> sentences;
    int repeated_words = 0;  // at the start of each sentence but the first
  };

  void end_block(std::vector<HtmlToken>& run, const SentenceRules& rules) {
    if (run.empty()) return;
    HtmlBlock block(run);
    Part part;
    if (block.words().empty()) {
      for (const HtmlToken& token : run) {
        part.raw += token.kind == HtmlKind::kText ? encode_entities(token.text) : token.text;
      }
    } else {
      SplitLine split = rules.split(block.text());
      part.repeated_words = split.repeated_words;
      for (std::string& sentence : split.sentences) {
        part.sentences.push_back(sentences_.size());
        sentences_.push_back(std::move(sentence));
      }
      part.block.push_back(std::move(block));
    }
    parts_.push_back(std::move(part));
    run.clear();
  }

  std::string rebuilt(const Part& part, const std::vector<std::vector<Translation>>& translations, size_t rank) const {
    std::vector<std::string> target;
    std::vector<int> sources;
    const auto words = static_cast<int>(part.block.front().words().size());
    int first = 0;  // source word of the sentence
    for (const size_t sentence : part.sentences) {
      const Translation& translation = ranked(translations.at(sentence), rank);
      const auto count = static_cast<int>(words_of(sentences_[sentence]).size());
      const int own = sentence == part.sentences.front() ? first : first - part.repeated_words;
      for (const int word : align_words(source_pieces_(sentences_[sentence]), count, translation)) {
        sources.push_back(word < 0 ? word : std::clamp(own + word, 0, words - 1));
      }
      for (std::string& word : words_of(translation.text)) target.push_back(std::move(word));
      first = own + count;
    }
    return part.block.front().rebuilt(target, std::move(sources));
  }

  std::function<std::vector<std::string>(const std::string&)> source_pieces_;
  std::vector<Part> parts_;
};

}  // namespace

std::unique_ptr<Document> html_document(const std::string& html, const SentenceRules& rules) {
  return std::make_unique<HtmlDocument>(html, rules);
}

}  // namespace verbund
