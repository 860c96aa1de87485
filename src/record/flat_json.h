// SPDX-License-Identifier: Apache-2.0
// read_flat_object scans a line with a flat JSON object, as records of runs have them. nlohmann's SAX parser makes the
// report of 300,000 lines more than twice as slow.
#pragma once

#include <string_view>
#include <vector>

namespace verbund {

// A member of an object. The views point into the line.
struct FlatMember {
  enum class Kind { kNumber, kText, kNull, kOther };
  std::string_view key;  // as written, escapes included
  Kind kind = Kind::kOther;
  double number = 0;  // true is 1, false is 0; "NaN", "Infinity" and "-Infinity" are numbers
  std::string_view text;
};

// Reads the members of the object on a line; nested lists and objects are skipped. False if there is no object.
bool read_flat_object(std::string_view line, std::vector<FlatMember>& members);

}  // namespace verbund
