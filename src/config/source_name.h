// SPDX-License-Identifier: Apache-2.0
// Names of corpora, which are parts of file names and keys: letters, digits, _ . and -.
#pragma once

#include <string>
#include <string_view>

namespace verbund {

bool is_source_name(std::string_view name);

// The name with - for every run of other characters; "corpus" if nothing is left.
std::string as_source_name(std::string_view name);

}  // namespace verbund
