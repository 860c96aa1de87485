// SPDX-License-Identifier: Apache-2.0
#include "serve/text_document.h"

namespace verbund {
namespace {

class PlainDocument final : public Document {
 public:
  PlainDocument(const std::string& text, const SentenceRules& rules) {
    for (size_t begin = 0; begin <= text.size();) {
      const size_t end = std::min(text.find('\n', begin), text.size());
      std::string line = text.substr(begin, end - begin), line_end = end < text.size() ? "\n" : "";
      if (line.ends_with('\r')) {
        line.pop_back();
        line_end.insert(0, 1, '\r');
      }
      if (line.find_first_not_of(" \t\r") != std::string::npos) {
        for (std::string& sentence : rules.split(line).sentences) sentences_.push_back(std::move(sentence));
      }
      lines_.push_back({sentences_.size(), line_end});
      begin = end + 1;
    }
  }

  std::string translated(const std::vector<std::vector<Translation>>& translations, size_t rank) const override {
    std::string text;
    size_t sentence = 0;
    for (const auto& [sentences_end, line_end] : lines_) {
      const size_t line_begin = text.size();
      for (; sentence < sentences_end; ++sentence) {
        const std::string& part = ranked(translations.at(sentence), rank).text;
        if (text.size() > line_begin && !part.empty()) text += ' ';
        text += part;
      }
      text += line_end;
    }
    return text;
  }

 private:
  struct LineEnd {
    size_t sentences_end;  // of this line, in all
    std::string text;
  };
  std::vector<LineEnd> lines_;
};

}  // namespace

const Translation& ranked(const std::vector<Translation>& translations, size_t rank) {
  return rank < translations.size() ? translations[rank] : translations.at(0);
}

std::unique_ptr<Document> plain_document(const std::string& text, const SentenceRules& rules) {
  return std::make_unique<PlainDocument>(text, rules);
}

}  // namespace verbund
