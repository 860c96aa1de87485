// Numbers as people write them in a configuration: 25000, 25k, 2.5e4. They are read exactly, without the detour of
// a floating-point number.
#pragma once

#include <cstdint>
#include <string_view>

namespace verbund {

enum class WholeNumber { kRead, kNoNumber, kNotWhole, kTooLarge };

// k and K stand for a thousand, M for a million, G for a billion; "1.5k" is 1500.
WholeNumber parse_whole(std::string_view text, int64_t& number);
bool parse_real(std::string_view text, double& number);

}  // namespace verbund
