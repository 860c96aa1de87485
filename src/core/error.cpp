// SPDX-License-Identifier: Apache-2.0
#include "core/error.h"

#include <cerrno>
#include <csignal>
#include <cstring>

namespace verbund {

Interrupted::Interrupted(int signal) : Interrupted(signal, "stopped by " + signal_name(signal)) {}

std::string signal_name(int signal) {
  switch (signal) {
    case SIGINT:
      return "Ctrl-C";
    case SIGTERM:
      return "SIGTERM";
    case SIGHUP:
      return "SIGHUP (the terminal was closed)";
    default:
      return fmt::format("signal {}", signal);
  }
}

SystemError::SystemError(const std::string& message, int number)
    : Error(message + ": " + std::strerror(number)), number_(number) {}

void throw_error(fmt::string_view format, fmt::format_args args) { throw Error(fmt::vformat(format, args)); }

void throw_usage_error(fmt::string_view format, fmt::format_args args) { throw UsageError(fmt::vformat(format, args)); }

void throw_system_error(fmt::string_view format, fmt::format_args args) {
  const int number = errno;  // which formatting may change
  throw SystemError(fmt::vformat(format, args), number);
}

}  // namespace verbund
