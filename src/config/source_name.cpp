// SPDX-License-Identifier: Apache-2.0
#include "config/source_name.h"

#include <algorithm>
#include <cctype>

namespace verbund {
namespace {

bool is_allowed(char c) {
  constexpr std::string_view kSigns = "_.-";
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x80 && (std::isalnum(byte) != 0 || kSigns.find(c) != kSigns.npos);
}

}  // namespace

bool is_source_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), is_allowed);
}

std::string as_source_name(std::string_view name) {
  std::string result;
  bool gap = false;
  for (const char c : name) {
    if (is_allowed(c)) {
      if (gap && !result.empty()) result += '-';
      result += c;
    }
    gap = !is_allowed(c);
  }
  return result.empty() ? "corpus" : result;
}

}  // namespace verbund
