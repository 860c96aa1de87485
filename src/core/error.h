// SPDX-License-Identifier: Apache-2.0
// Error and its kinds are the exceptions that end a command. `main` turns each into one message on stderr and the exit
// code it carries.
#pragma once

#include <fmt/core.h>

#include <stdexcept>
#include <string>

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
  // An Interrupted without a message: the user has been told already.
  static Interrupted in_silence(int signal) { return {signal, ""}; }

 private:
  Interrupted(int signal, const std::string& message) : Error(message, 128 + signal) {}
};

std::string signal_name(int signal);  // "Ctrl-C", "SIGTERM", "SIGHUP (the terminal was closed)", "signal 7"

// SystemError is what `fail_errno` throws: the operating system refused something, and the errno tells why.
class SystemError : public Error {
 public:
  SystemError(const std::string& message, int number);  // the system's words for that errno are added to the message

  int number() const { return number_; }

 private:
  int number_;
};

// The formatting itself is compiled once, in error.cpp.
[[noreturn]] void throw_error(fmt::string_view format, fmt::format_args args);
[[noreturn]] void throw_usage_error(fmt::string_view format, fmt::format_args args);
[[noreturn]] void throw_system_error(fmt::string_view format, fmt::format_args args);

// Messages show both values and the next action:
//   fail("{} has {} lines but {} has {}: the sides must be parallel", ...)
template <typename... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
  throw_error(format, fmt::make_format_args(args...));
}

template <typename... Args>
[[noreturn]] void fail_usage(fmt::format_string<Args...> format, Args&&... args) {
  throw_usage_error(format, fmt::make_format_args(args...));
}

// The same with what the operating system said, from `errno`:
//   fail_errno("cannot write {}", path)  ->  "cannot write x: No space left on device"
template <typename... Args>
[[noreturn]] void fail_errno(fmt::format_string<Args...> format, Args&&... args) {
  throw_system_error(format, fmt::make_format_args(args...));
}

}  // namespace verbund
