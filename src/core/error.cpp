#include "core/error.h"

#include <cerrno>
#include <csignal>
#include <cstring>

#include "core/system_error.h"

namespace verbund {

Interrupted::Interrupted(int signal)
    : Error(fmt::format("stopped by {}", signal == SIGINT    ? "Ctrl-C"
                                         : signal == SIGTERM ? "SIGTERM"
                                                             : fmt::format("signal {}", signal)),
            128 + signal) {}

SystemError::SystemError(const std::string& message, int number)
    : Error(message + ": " + std::strerror(number)), number_(number) {}

void throw_errno(const std::string& message) { throw SystemError(message, errno); }

}  // namespace verbund
