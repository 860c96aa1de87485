// What `verbund --version` says: the commit, what is linked, and what this machine makes of it.
#pragma once

#include <string>

namespace verbund {

std::string version_text();

// Which program this is, for whatever it makes: "verbund 0.1.0 (commit 0123456789)".
std::string program_version();

}  // namespace verbund
