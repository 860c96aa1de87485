// Reads a configuration that is a Python file, without executing anything: assignments to names are read (see
// python_expressions.h), other statements are passed over and named.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "migrate/python_value.h"

namespace verbund {

struct PythonFile {
  struct Statement {
    size_t line;
    std::string text;
  };

  std::string name;
  PythonValue variables;          // a dictionary
  std::vector<Statement> unread;  // what would have to be executed
};

// Refuses what is not Python, as `name`:line, and files that are too large or nested too deeply.
PythonFile parse_python(const std::string& source, const std::string& name);
PythonFile load_python(const std::filesystem::path& path);

}  // namespace verbund
