// SPDX-License-Identifier: Apache-2.0
// A listening TCP socket, opened with messages that name the address and what to do.
#pragma once

#include <string>

namespace verbund {

// Listens at an address or name of this machine, without blocking. `port`: 0 for a free one; becomes the one in use.
int open_listener(const std::string& host, int& port);

}  // namespace verbund
