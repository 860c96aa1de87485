// What `verbund --version` says: the commit, what is linked, and what this machine makes of it.
#pragma once

#include <string>

namespace verbund {

std::string version_text();

}  // namespace verbund
