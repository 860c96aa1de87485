// Tokens as numbers: equal tokens get equal numbers, so that n-grams are compared
// without looking at text again.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/hash.h"

namespace verbund {

using Symbol = uint32_t;
using Symbols = std::vector<Symbol>;

class SymbolTable {
 public:
  Symbol number_of(std::string_view token) {
    const auto found = numbers_.find(token);
    if (found != numbers_.end()) return found->second;
    return numbers_.emplace(token, static_cast<Symbol>(numbers_.size())).first->second;
  }

 private:
  struct Hash {
    using is_transparent = void;  // look up a string_view without making a string
    size_t operator()(std::string_view token) const { return hash64(token); }
  };

  std::unordered_map<std::string, Symbol, Hash, std::equal_to<>> numbers_;
};

}  // namespace verbund
