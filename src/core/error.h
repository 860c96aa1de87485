// The small family of exceptions that a command may end with. `main` turns each
// into one message on stderr and the exit code it carries.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace verbund {

// The exit code of all workers when one of them was lost: starting again may help.
constexpr int kExitLostWorker = 3;

// The work failed: a file is missing, damaged or inconsistent, a disk is full.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, int exit_code = 1) : std::runtime_error(message), exit_code_(exit_code) {}

  int exit_code() const { return exit_code_; }

 private:
  int exit_code_;
};

// The call was wrong: an unknown option or key, a value out of range.
class UsageError : public Error {
 public:
  explicit UsageError(const std::string& message) : Error(message, 2) {}
};

// The user or the system asked the program to stop; the exit code is 128 + signal.
class Interrupted : public Error {
 public:
  explicit Interrupted(int signal);
  // Somebody has said so already: there is no message.
  static Interrupted in_silence(int signal) { return {signal, ""}; }

 private:
  Interrupted(int signal, const std::string& message) : Error(message, 128 + signal) {}
};

std::string signal_name(int signal);  // "Ctrl-C", "SIGTERM", "SIGHUP (the terminal was closed)", "signal 7"

// Messages show both values and the next action:
//   fail("{} has {} lines but {} has {}: the sides must be parallel", ...)
template <typename... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
  throw Error(fmt::format(format, std::forward<Args>(args)...));
}

template <typename... Args>
[[noreturn]] void fail_usage(fmt::format_string<Args...> format, Args&&... args) {
  throw UsageError(fmt::format(format, std::forward<Args>(args)...));
}

// The same with what the operating system said, from `errno`:
//   fail_errno("cannot write {}", path)  ->  "cannot write x: No space left on device"
[[noreturn]] void throw_errno(const std::string& message);

template <typename... Args>
[[noreturn]] void fail_errno(fmt::format_string<Args...> format, Args&&... args) {
  throw_errno(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace verbund
