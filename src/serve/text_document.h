// SPDX-License-Identifier: Apache-2.0
// Document is a text to translate, cut into sentences, that is put together again from their translations. Line ends of
// plain text and tags of HTML are kept out of the translation.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "decode/translator.h"

namespace verbund {

// SentenceRules are what a document must know of the model that translates it.
struct SentenceRules {
  std::function<SplitLine(const std::string& line)> split;                             // Translator::split
  std::function<std::vector<std::string>(const std::string& sentence)> source_pieces;  // for tags
};

class Document {
 public:
  virtual ~Document() = default;
  const std::vector<std::string>& sentences() const { return sentences_; }
  // The text made of the translations of each sentence: the best, or number `rank` where there are so many.
  virtual std::string translated(const std::vector<std::vector<Translation>>& translations, size_t rank) const = 0;

 protected:
  std::vector<std::string> sentences_;
};

// A line is translated as `verbund translate` does it; empty lines stay.
std::unique_ptr<Document> plain_document(const std::string& text, const SentenceRules& rules);
std::unique_ptr<Document> html_document(const std::string& html, const SentenceRules& rules);

// The translation of this rank, or the best one.
const Translation& ranked(const std::vector<Translation>& translations, size_t rank);

}  // namespace verbund
