#include "text/word_encoder.h"

namespace verbund {
namespace {

// Some 30 MB. Rare words fill the table; when it is full it starts anew, which costs
// little, as the frequent ones are back at once.
constexpr size_t kMostWords = 200000;

}  // namespace

size_t WordEncoder::encode(std::string_view text, std::vector<TokenId>& ids) {
  const size_t before = ids.size();
  if (!subwords_.encodes_by_word()) {
    const std::vector<TokenId> encoded = subwords_.encode(text);
    ids.insert(ids.end(), encoded.begin(), encoded.end());
    return encoded.size();
  }
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    if (end > begin) {
      const std::string_view word = text.substr(begin, end - begin);
      const auto found = words_.find(word);
      const Known known = found != words_.end() ? found->second : learn(word);
      ids.insert(ids.end(), ids_.begin() + known.begin, ids_.begin() + known.begin + known.count);
    }
    begin = end + 1;
  }
  return ids.size() - before;
}

WordEncoder::Known WordEncoder::learn(std::string_view word) {
  if (words_.size() >= kMostWords) {
    words_.clear();
    ids_.clear();
  }
  const std::vector<TokenId> encoded = subwords_.encode(word);
  const Known known = {static_cast<uint32_t>(ids_.size()), static_cast<uint32_t>(encoded.size())};
  ids_.insert(ids_.end(), encoded.begin(), encoded.end());
  words_.emplace(word, known);
  return known;
}

}  // namespace verbund
