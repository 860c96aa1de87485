// Lower-casing of UTF-8 text for scores that ignore case.
#pragma once

#include <string>
#include <string_view>

namespace verbund {

// Unicode's full lower-casing, in no particular language: "İ" becomes two code points,
// and a capital sigma that ends a word becomes "ς".
std::string lower_case(std::string_view text);

}  // namespace verbund
