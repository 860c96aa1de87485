// Reads the values of a Python file: dictionaries, lists, texts, numbers, sums of such, and names assigned before.
// Whatever else there is, calls above all, stays as the text it is written in: opaque, and never executed.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "migrate/python_tokens.h"
#include "migrate/python_value.h"

namespace verbund {

class PythonExpressions {
 public:
  using Words = std::initializer_list<std::string_view>;

  PythonExpressions(const std::string& source, const std::string& name)
      : source_(source), name_(name), tokens_(python_tokens(source, name)) {}

  // The tokens, for those who read statements.
  const PythonToken& now() const { return tokens_[next_]; }
  const PythonToken& after(size_t count) const { return tokens_[std::min(next_ + count, tokens_.size() - 1)]; }
  const PythonToken& before(size_t count) const { return tokens_[next_ - count]; }
  bool is_now(Words words) const;
  bool ends_line() const { return now().kind == PythonToken::Kind::kLineEnd || now().kind == PythonToken::Kind::kEnd; }
  bool accept(std::string_view symbol);
  void skip(size_t count = 1) { next_ += count; }
  size_t position() const { return next_; }
  void go_back(size_t position) { next_ = position; }
  [[noreturn]] void refuse(const std::string& why) const;  // file:line: why
  std::string shown() const;                               // the token, for messages

  // A value with all that belongs to it; `variables` are the names assigned before. a, b without brackets is a tuple.
  PythonValue read(const PythonValue& variables);

  // Guards against files that make much out of little.
  void count(size_t weight);

 private:
  struct Depth;

  bool ends_value() const;
  void expect(std::string_view symbol);
  void skip_balanced();
  PythonValue opaque_since(size_t start) const;
  PythonValue skip_value(size_t start);

  PythonValue read_value();
  PythonValue read_sum();
  PythonValue read_product();
  PythonValue read_signed();
  PythonValue read_power();
  PythonValue read_atom();
  PythonValue read_texts();
  PythonValue read_name();
  PythonValue read_list();
  PythonValue read_dict();
  PythonValue read_trailers(PythonValue value, size_t start);
  PythonValue read_call(const PythonValue& callee, size_t start);
  bool read_keywords(PythonValue& dict);
  PythonValue combined(const std::string& symbol, PythonValue left, const PythonValue& right, size_t start);

  const std::string& source_;
  std::string name_;
  std::vector<PythonToken> tokens_;
  const PythonValue* variables_ = nullptr;
  size_t next_ = 0;
  size_t weight_ = 0;
  size_t depth_ = 0;
};

}  // namespace verbund
