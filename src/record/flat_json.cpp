// SPDX-License-Identifier: Apache-2.0
#include "record/flat_json.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace verbund {
namespace {

class Scanner {
 public:
  explicit Scanner(std::string_view line) : rest_(line) {}

  bool take(char c) {
    skip_blanks();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool at_end() {
    skip_blanks();
    return rest_.empty();
  }

  bool string(std::string_view& text) {
    if (!take('"')) return false;
    for (size_t i = 0; i < rest_.size(); ++i) {
      if (rest_[i] == '\\') {
        ++i;
      } else if (rest_[i] == '"') {
        text = rest_.substr(0, i);
        rest_.remove_prefix(i + 1);
        return true;
      }
    }
    return false;
  }

  bool value(FlatMember& member) {
    skip_blanks();
    if (rest_.empty()) return false;
    if (rest_.front() == '"') {
      if (!string(member.text)) return false;
      member.kind = special(member.text, member.number) ? FlatMember::Kind::kNumber : FlatMember::Kind::kText;
      return true;
    }
    if (rest_.front() == '{' || rest_.front() == '[') return nested();
    return word(member);
  }

 private:
  void skip_blanks() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t' || rest_.front() == '\r')) {
      rest_.remove_prefix(1);
    }
  }

  static bool special(std::string_view text, double& number) {
    if (text == "NaN")
      number = NAN;
    else if (text == "Infinity")
      number = std::numeric_limits<double>::infinity();
    else if (text == "-Infinity")
      number = -std::numeric_limits<double>::infinity();
    else
      return false;
    return true;
  }

  // A number, true, false or null; or NaN without quotes, as Python writes it.
  bool word(FlatMember& member) {
    const std::string_view token = rest_.substr(0, rest_.find_first_of(",} \t\r"));
    rest_.remove_prefix(token.size());
    member.kind = FlatMember::Kind::kNumber;
    if (token == "true" || token == "false") {
      member.number = token == "true" ? 1 : 0;
    } else if (token == "null") {
      member.kind = FlatMember::Kind::kNull;
    } else if (!special(token, member.number)) {
      const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), member.number);
      if (error == std::errc::result_out_of_range) member.number = 0;
      return error != std::errc::invalid_argument && end == token.data() + token.size();
    }
    return true;
  }

  bool nested() {
    int depth = 0;
    while (!rest_.empty()) {
      std::string_view text;
      if (rest_.front() == '"') {
        if (!string(text)) return false;
        continue;
      }
      if (rest_.front() == '{' || rest_.front() == '[') ++depth;
      if (rest_.front() == '}' || rest_.front() == ']') --depth;
      rest_.remove_prefix(1);
      if (depth == 0) return true;
    }
    return false;
  }

  std::string_view rest_;
};

}  // namespace

bool read_flat_object(std::string_view line, std::vector<FlatMember>& members) {
  members.clear();
  Scanner scanner(line);
  if (!scanner.take('{')) return false;
  if (scanner.take('}')) return scanner.at_end();
  do {
    FlatMember& member = members.emplace_back();
    if (!scanner.string(member.key) || !scanner.take(':') || !scanner.value(member)) return false;
  } while (scanner.take(','));
  return scanner.take('}') && scanner.at_end();
}

}  // namespace verbund
