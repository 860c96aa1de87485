// SPDX-License-Identifier: Apache-2.0
// kByteOrderMark stands at the beginning of UTF-8 text that editors on Windows have written.
#pragma once

#include <string_view>

namespace verbund {

inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

inline std::string_view without_byte_order_mark(std::string_view text) {
  return text.substr(text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
}

}  // namespace verbund
