#include "core/error.h"

#include <cerrno>
#include <csignal>
#include <cstring>

namespace verbund {

Interrupted::Interrupted(int signal)
    : Error(fmt::format("stopped by {}", signal == SIGINT    ? "Ctrl-C"
                                         : signal == SIGTERM ? "SIGTERM"
                                                             : fmt::format("signal {}", signal)),
            128 + signal) {}

void throw_errno(const std::string& message) { throw Error(message + ": " + std::strerror(errno)); }

}  // namespace verbund
