// SPDX-License-Identifier: Apache-2.0
// yaml_quoted writes a text as a scalar in double quotes, which every YAML parser reads as this text. Bytes that are
// not UTF-8, which YAML cannot hold, stay as they are.
#pragma once

#include <string>
#include <string_view>

namespace verbund {

std::string yaml_quoted(std::string_view text);

}  // namespace verbund
