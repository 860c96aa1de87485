// A place in the tokens of a Python file, and what its readers ask there.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "migrate/python_tokens.h"

namespace verbund {

class PythonCursor {
 public:
  using Words = std::initializer_list<std::string_view>;

  PythonCursor(const std::string& source, const std::string& name)
      : source_(source), name_(name), tokens_(python_tokens(source, name)) {}

  const PythonToken& now() const { return tokens_[next_]; }
  const PythonToken& after(size_t count) const { return tokens_[std::min(next_ + count, tokens_.size() - 1)]; }
  const PythonToken& before(size_t count) const { return tokens_[next_ - count]; }
  bool is_now(Words words) const;
  bool is_now(PythonToken::Kind kind) const { return now().kind == kind; }
  bool ends_line() const { return is_now(PythonToken::Kind::kLineEnd) || is_now(PythonToken::Kind::kEnd); }
  bool ends_value() const { return ends_line() || closes_bracket(now()) || is_now({",", ":", "="}); }

  size_t position() const { return next_; }
  void go_to(size_t position) { next_ = position; }
  void skip(size_t count = 1) { next_ += count; }
  void skip_balanced();  // past this token, and if it opens a bracket, past the one that closes it
  void skip_line();
  bool accept(std::string_view symbol);
  void expect(std::string_view symbol);

  // What is written from the token at `start` to the one before this.
  std::string source_since(size_t start) const;
  size_t line_of(size_t position) const { return tokens_[position].line; }

  std::string shown() const;                               // this token, for messages
  [[noreturn]] void refuse(const std::string& why) const;  // file:line: why

  // Of all that is read, names counted as what they stand for: guards against files that make much out of little.
  void count(size_t weight);

 private:
  const std::string& source_;
  std::string name_;
  std::vector<PythonToken> tokens_;
  size_t next_ = 0;
  size_t weight_ = 0;
};

}  // namespace verbund
