// SPDX-License-Identifier: Apache-2.0
#include "serve/word_alignment.h"

#include "text/subwords.h"

namespace verbund {
namespace {

// The number of the word of each piece.
std::vector<int> words_of_pieces(const std::vector<std::string>& pieces) {
  std::vector<int> words;
  int word = 0;
  for (const std::string& piece : pieces) {
    if (piece.starts_with(kWordStart) && !words.empty()) ++word;
    words.push_back(word);
  }
  return words;
}

}  // namespace

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  constexpr const char* kBlanks = " \t\n\r\f";
  for (size_t begin = text.find_first_not_of(kBlanks); begin != std::string::npos;) {
    const size_t end = std::min(text.find_first_of(kBlanks, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(kBlanks, end);
  }
  return words;
}

std::vector<int> align_words(const std::vector<std::string>& source_pieces, int source_words,
                             const Translation& translation) {
  const size_t count = words_of(translation.text).size();
  std::vector<int> aligned(count, -1);
  const std::vector<int> source = words_of_pieces(source_pieces), target = words_of_pieces(translation.pieces);
  const bool corresponds = !source.empty() && !target.empty() && source.back() + 1 == source_words &&
                           target.back() + 1 == static_cast<int>(count);
  if (!corresponds) {
    for (size_t i = 0; i < count; ++i) aligned[i] = static_cast<int>(i * static_cast<size_t>(source_words) / count);
    return aligned;
  }
  for (const auto& [from, to] : translation.alignment) {
    if (from < 0 || to < 0 || from >= static_cast<int>(source.size()) || to >= static_cast<int>(target.size()))
      continue;
    int& word = aligned[static_cast<size_t>(target[static_cast<size_t>(to)])];
    if (word < 0) word = source[static_cast<size_t>(from)];  // that of its first piece
  }
  return aligned;
}

}  // namespace verbund
