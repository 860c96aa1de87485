// Encodes sentences much faster than the model alone: words come again and again, so the
// ids of each are kept. For one thread; exact for models that encode by word, and simply
// the model itself for others.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/hash.h"
#include "text/subwords.h"

namespace verbund {

class WordEncoder {
 public:
  explicit WordEncoder(const Subwords& subwords) : subwords_(subwords) {}

  // Appends the ids of `text` to `ids`; returns how many.
  size_t encode(std::string_view text, std::vector<TokenId>& ids);

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view word) const { return hash64(word); }
  };
  struct Known {
    uint32_t begin;  // in ids_
    uint32_t count;
  };

  Known learn(std::string_view word);

  const Subwords& subwords_;
  std::unordered_map<std::string, Known, Hash, std::equal_to<>> words_;
  std::vector<TokenId> ids_;
};

}  // namespace verbund
