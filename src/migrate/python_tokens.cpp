#include "migrate/python_tokens.h"

#include <charconv>

#include "core/error.h"
#include "core/utf8.h"

namespace verbund {
namespace {

constexpr size_t kDeepest = 100;  // brackets in brackets

// Longer ones first.
constexpr std::string_view kOperators[] = {
    "**=", "//=", ">>=", "<<=", "...", "**", "//", ">>", "<<", "==", "!=", "<=", ">=", "->", ":=", "+=",
    "-=",  "*=",  "/=",  "%=",  "&=",  "|=", "^=", "@=", "+",  "-",  "*",  "/",  "%",  "(",  ")",  "[",
    "]",   "{",   "}",   ",",   ":",   ".",  ";",  "=",  "<",  ">",  "|",  "&",  "^",  "~",  "@"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool is_name_part(char c) { return is_name_start(c) || is_digit(c); }

class Tokenizer {
 public:
  Tokenizer(std::string_view source, const std::string& name) : source_(source), name_(name) {}

  std::vector<PythonToken> run() {
    while (position_ < source_.size()) {
      if (at_line_start_) read_indent();
      if (position_ < source_.size()) read_one();
    }
    if (!open_.empty()) {
      const PythonToken& bracket = open_.back();
      line_ = bracket.line;
      refuse(fmt::format("the {} of this line is never closed", bracket.text));
    }
    add(PythonToken::Kind::kLineEnd, position_);
    add(PythonToken::Kind::kEnd, position_);
    return std::move(tokens_);
  }

 private:
  using Kind = PythonToken::Kind;

  [[noreturn]] void refuse(const std::string& why) const { fail_usage("{}:{}: {}", name_, line_, why); }

  char at(size_t offset) const { return position_ + offset < source_.size() ? source_[position_ + offset] : '\0'; }

  PythonToken& add(Kind kind, size_t begin) {
    PythonToken token;
    token.kind = kind;
    token.text = source_.substr(begin, position_ - begin);
    token.begin = begin;
    token.end = position_;
    token.line = line_;
    token.indent = indent_;
    tokens_.push_back(std::move(token));
    return tokens_.back();
  }

  void read_indent() {
    const size_t begin = position_;
    while (at(0) == ' ' || at(0) == '\t' || at(0) == '\f') ++position_;
    indent_ = position_ - begin;
    at_line_start_ = false;
  }

  void read_one() {
    const char c = at(0);
    if (c == ' ' || c == '\t' || c == '\f' || c == '\r') {
      ++position_;
    } else if (c == '\n') {
      end_line();
    } else if (c == '#') {
      position_ = std::min(source_.find('\n', position_), source_.size());
    } else if (c == '\\') {
      continue_line();
    } else if (is_digit(c) || (c == '.' && is_digit(at(1)))) {
      read_number();
    } else if (is_name_start(c) || c == '"' || c == '\'') {
      read_name_or_text();
    } else {
      read_operator();
    }
  }

  void end_line() {
    const bool is_empty = tokens_.empty() || tokens_.back().kind == Kind::kLineEnd;
    if (open_.empty() && !is_empty) add(Kind::kLineEnd, position_);
    ++position_;
    ++line_;
    at_line_start_ = open_.empty();
  }

  void continue_line() {
    const size_t length = at(1) == '\r' ? 3 : 2;
    if (at(length - 1) != '\n') refuse("a \\ must be the last character of its line");
    position_ += length;
    ++line_;
  }

  void read_number() {
    const size_t begin = position_;
    const bool based = at(0) == '0' && (at(1) == 'x' || at(1) == 'X' || at(1) == 'b' || at(1) == 'B' || at(1) == 'o');
    while (is_name_part(at(0)) || at(0) == '.' ||
           (!based && (at(0) == '+' || at(0) == '-') &&
            (source_[position_ - 1] == 'e' || source_[position_ - 1] == 'E'))) {
      ++position_;
    }
    PythonToken& token = add(Kind::kNumber, begin);
    std::string digits = token.text;
    std::erase(digits, '_');
    const char* const end = digits.data() + digits.size();
    if (based) {
      uint64_t value = 0;
      const int base = digits[1] == 'o' ? 8 : digits[1] == 'b' || digits[1] == 'B' ? 2 : 16;
      const auto [stop, error] = std::from_chars(digits.data() + 2, end, value, base);
      if (error != std::errc() || stop != end) refuse(fmt::format("{:.40} is not a number", token.text));
      token.number = static_cast<double>(value);
      token.whole = true;
      return;
    }
    const auto [stop, error] = std::from_chars(digits.data(), end, token.number);
    if (error != std::errc() || stop != end) refuse(fmt::format("{:.40} is not a number", token.text));
    token.whole = digits.find_first_not_of("0123456789") == std::string::npos;
  }

  void read_name_or_text() {
    const size_t begin = position_;
    while (is_name_part(at(0))) ++position_;
    const std::string_view prefix = source_.substr(begin, position_ - begin);
    const bool is_text = (at(0) == '"' || at(0) == '\'') && prefix.size() <= 2 &&
                         prefix.find_first_not_of("rRbBuUfF") == std::string_view::npos;
    if (is_text) return read_text(begin, prefix);
    add(Kind::kName, begin);
  }

  void read_text(size_t begin, std::string_view prefix) {
    const bool raw = prefix.find_first_of("rR") != std::string_view::npos;
    const char quote = at(0);
    const size_t quotes = at(1) == quote && at(2) == quote ? 3 : 1;
    const std::string end(quotes, quote);
    const size_t first_line = line_;
    position_ += quotes;
    std::string text;
    while (true) {
      if (position_ >= source_.size() || (quotes == 1 && at(0) == '\n')) {
        line_ = first_line;
        refuse("a text begins here and has no end");
      }
      if (source_.compare(position_, quotes, end) == 0) break;
      if (at(0) == '\\' && !raw) {
        read_escape(text);
        continue;
      }
      if (at(0) == '\n') ++line_;
      text.push_back(at(0));
      ++position_;
    }
    position_ += quotes;
    const bool computed = prefix.find_first_of("fF") != std::string_view::npos;
    PythonToken& token = add(computed ? Kind::kComputedText : Kind::kText, begin);
    token.line = first_line;
    if (!computed) token.text = std::move(text);
  }

  // The common ones; others stay as they are written, as Python does with those it does not know.
  void read_escape(std::string& text) {
    const char c = at(1);
    position_ += 2;
    if (c == '\n') {
      ++line_;
    } else if (c == 'n' || c == 't') {
      text.push_back(c == 'n' ? '\n' : '\t');
    } else if (c == '\\' || c == '\'' || c == '"') {
      text.push_back(c);
    } else {
      text.append({'\\', c});
    }
  }

  void read_operator() {
    const size_t begin = position_;
    for (const std::string_view symbol : kOperators) {
      if (source_.substr(position_, symbol.size()) != symbol) continue;
      position_ += symbol.size();
      if (symbol == ";" && open_.empty()) {
        add(Kind::kLineEnd, begin);
        return;
      }
      watch_brackets(add(Kind::kOperator, begin));
      return;
    }
    const bool printable = at(0) > ' ' && at(0) < 0x7F;
    refuse(printable ? fmt::format("the character {} is not Python", at(0)) : "a control character is not Python");
  }

  void watch_brackets(const PythonToken& token) {
    if (!closing_bracket(token).empty()) {
      if (open_.size() == kDeepest) refuse(fmt::format("brackets are nested more than {} deep", kDeepest));
      open_.push_back(token);
    } else if (closes_bracket(token)) {
      if (open_.empty()) refuse(fmt::format("this {} closes nothing", token.text));
      const PythonToken& opening = open_.back();
      if (token.text != closing_bracket(opening)) {
        refuse(fmt::format("{} closes the {} of line {}", token.text, opening.text, opening.line));
      }
      open_.pop_back();
    }
  }

  std::string_view source_;
  const std::string& name_;
  size_t position_ = 0;
  size_t line_ = 1;
  size_t indent_ = 0;
  bool at_line_start_ = true;
  std::vector<PythonToken> open_;  // brackets
  std::vector<PythonToken> tokens_;
};

}  // namespace

std::string_view closing_bracket(const PythonToken& token) {
  return token.is("(") ? ")" : token.is("[") ? "]" : token.is("{") ? "}" : "";
}

bool closes_bracket(const PythonToken& token) { return token.is(")") || token.is("]") || token.is("}"); }

std::vector<PythonToken> python_tokens(std::string_view source, const std::string& name) {
  return Tokenizer(source, name).run();
}

}  // namespace verbund
