// SPDX-License-Identifier: Apache-2.0
// BuiltinFile is a text file of the source tree that is compiled into the program (cmake/builtin_files.cmake makes the
// source).
#pragma once

#include <string_view>

namespace verbund {

struct BuiltinFile {
  std::string_view name;  // without folder and ending
  std::string_view text;
};

}  // namespace verbund
