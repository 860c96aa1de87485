// SPDX-License-Identifier: Apache-2.0
// PythonFile is a configuration in Python that was parsed and never executed.
//
// Python itself parses it: read_config.py, in a process of its own that has limits of time and memory, opens no file
// of the user's and gets the text on stdin.
#pragma once

#include <filesystem>
#include <string>
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
  struct Member;

  Kind kind = Kind::kNone;
  bool truth = false;
  double number = 0;
  std::string text;  // the text, the symbol's name, or the source of what is opaque
  std::vector<PythonValue> items;
  std::vector<Member> members;
  size_t line = 0;

  const PythonValue* find(const std::string& key) const;  // of a dictionary; null if it has none
  PythonValue& at_key(const std::string& key);            // adds what is missing
};

struct PythonValue::Member {
  std::string key;
  PythonValue value;
};

struct PythonFile {
  struct Statement {
    size_t line;
    std::string text;
  };

  std::string name;
  PythonValue variables;          // a dictionary
  std::vector<Statement> unread;  // what would have to be executed
};

// Refuses what is not Python, as `name`:line, and files that are too large or nested too deeply. Fails where there is
// no python3.
PythonFile parse_python(const std::string& source, const std::string& name);
PythonFile load_python(const std::filesystem::path& path);

}  // namespace verbund
