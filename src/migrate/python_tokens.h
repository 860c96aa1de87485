// The words of a Python file: names, numbers, texts, operators and line ends. Nothing is executed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace verbund {

struct PythonToken {
  enum class Kind { kName, kNumber, kText, kComputedText, kOperator, kLineEnd, kEnd };

  Kind kind = Kind::kEnd;
  std::string text;  // of kText what it stands for, else as it is written
  double number = 0;
  bool whole = false;           // a number without fraction or exponent
  size_t begin = 0, end = 0;    // in the file
  size_t line = 0, indent = 0;  // indent: blanks before the first token of its line

  bool is(std::string_view symbol) const { return (kind == Kind::kOperator || kind == Kind::kName) && text == symbol; }
};

// Inside brackets lines do not end. Refuses, as `name`:line, texts and brackets that are not closed, brackets nested
// too deeply, and characters that Python has not.
std::vector<PythonToken> python_tokens(std::string_view source, const std::string& name);

// The bracket that closes this one; nothing for other tokens.
std::string_view closing_bracket(const PythonToken& token);
bool closes_bracket(const PythonToken& token);

}  // namespace verbund
