// SPDX-License-Identifier: Apache-2.0
// Flag hints guess what an argument that a command does not know was meant to be: a flag of this command, a key of the
// configuration, or a word of another system (config/hints.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace verbund {

struct UnknownArgument {
  std::string text;        // as given: "--beam=8"
  std::string suggestion;  // a sentence; "" if nothing is like it
};

// The first argument that is none of the command's flags ("--set", "--model", ...), or nothing.
std::optional<UnknownArgument> find_unknown(const std::vector<std::string>& arguments,
                                            const std::vector<std::string>& flags);

}  // namespace verbund
