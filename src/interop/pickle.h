// SPDX-License-Identifier: Apache-2.0
// read_pickle reads Python's pickle format as data. A pickle is a program for a stack machine that may call any
// function of Python; here nothing is called: a call is a value with the name of the function and its arguments.
// Opcodes and names that a file of tensors does not need are refused.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace verbund {

struct PickleValue {
  enum class Kind { kNone, kBool, kInteger, kReal, kText, kTuple, kList, kDict, kName, kCall, kPersistent };

  Kind kind = Kind::kNone;
  int64_t integer = 0;                    // kBool, kInteger
  double real = 0;                        // kReal
  std::string text;                       // kText; kName and kCall: "module name"
  std::vector<const PickleValue*> items;  // kTuple, kList, arguments of kCall and kPersistent; kDict: key, value, ...
};

// The owner of all values of a pickle.
struct Pickle {
  std::deque<PickleValue> values;
  const PickleValue* root = nullptr;
};

// `where`: the file, for messages. `names`: "module name" of all that may be named.
Pickle read_pickle(std::string_view bytes, const std::string& where, const std::vector<std::string_view>& names);

}  // namespace verbund
