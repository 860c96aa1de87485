// SPDX-License-Identifier: Apache-2.0
// The messages of the emulated GPU: each is written to stderr and kept until a test takes it.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

namespace emulated {

void say(const std::string& message);

template <typename... T>
void say(fmt::format_string<T...> format, T&&... values) {
  say(fmt::format(format, std::forward<T>(values)...));
}

// All messages since the last call, a line each.
std::string take_messages();

}  // namespace emulated
