// Reads the values of a Python file: dictionaries, lists, texts, numbers, sums of such, and names assigned before.
// Whatever else there is, calls above all, stays as the text it is written in: opaque, and never executed.
#pragma once

#include <string>

#include "migrate/python_cursor.h"
#include "migrate/python_value.h"

namespace verbund {

class PythonExpressions {
 public:
  // `variables`: the names assigned so far.
  PythonExpressions(PythonCursor& cursor, const PythonValue& variables) : in_(cursor), variables_(variables) {}

  // A value with all that belongs to it; a, b without brackets is a tuple.
  PythonValue read();

 private:
  struct Depth;

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

  PythonCursor& in_;
  const PythonValue& variables_;
  size_t depth_ = 0;
};

}  // namespace verbund
