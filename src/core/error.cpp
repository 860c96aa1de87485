#include "core/error.h"

#include <cerrno>
#include <csignal>
#include <cstring>

#include "core/system_error.h"

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

void throw_errno(const std::string& message) { throw SystemError(message, errno); }

}  // namespace verbund
