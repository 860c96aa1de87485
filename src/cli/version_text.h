// SPDX-License-Identifier: Apache-2.0
// The version text of `verbund --version`: the commit, the linked libraries, and the kernels of this machine.
#pragma once

#include <string>

namespace verbund {

std::string version_text();

// The program that has made a file: "verbund 0.1.0 (commit 0123456789)".
std::string program_version();

}  // namespace verbund
