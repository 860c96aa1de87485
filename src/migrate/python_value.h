// A value of a Python file that was read and not executed.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace verbund {

struct PythonValue {
  enum class Kind {
    kNone,
    kBool,
    kNumber,
    kText,
    kList,    // or a tuple
    kDict,    // keys as text, in the order of the file
    kSymbol,  // a name that the file does not define: tf.float32
    kOpaque   // what would have to be executed
  };
  using Member = std::pair<std::string, PythonValue>;

  Kind kind = Kind::kNone;
  bool truth = false;
  double number = 0;
  bool whole = false;  // an integer
  std::string text;    // the text, the symbol's name, or the source of what is opaque
  std::vector<PythonValue> items;
  std::vector<Member> members;
  size_t line = 0;

  static PythonValue of_number(double number, bool whole);

  const PythonValue* find(const std::string& key) const;  // of a dictionary; null if it has none
  PythonValue& at_key(const std::string& key);            // adds what is missing

  // How much there is in it: one for each value, more for long texts.
  size_t weight() const;
};

// left + right and the like, if both are numbers, texts or lists; what cannot be computed is opaque, without its text.
PythonValue combine(const std::string& symbol, PythonValue left, const PythonValue& right);

}  // namespace verbund
