// SPDX-License-Identifier: Apache-2.0
// Entities of XML and HTML, such as "&lt;", "&#228;" and "&nbsp;", become the characters for which they stand.
#pragma once

#include <string>
#include <string_view>

namespace verbund {

enum class EntityNames {
  kXml,   // five
  kHtml,  // the frequent ones as well; numbers of control characters are none
};

// Unknown ones stay as they are.
std::string decode_entities(std::string_view text, EntityNames names);

std::string encode_entities(std::string_view text);  // & < >

}  // namespace verbund
