// SPDX-License-Identifier: Apache-2.0
#include "launch/host_source.h"

#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "core/child_process.h"
#include "core/error.h"
#include "core/file.h"

namespace verbund {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kCommandPatience{30};

bool is_plain_file(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) != 0;
}

}  // namespace

HostSource::HostSource(std::string text) : text_(std::move(text)), is_file_(is_plain_file(text_)) {}

std::vector<Host> HostSource::read(const std::function<void()>& check) const {
  if (is_file_) return parse_host_file(read_file(text_), text_);
  return parse_host_file(output_of_command(check), fmt::format("the output of {}", text_));
}

std::string HostSource::output_of_command(const std::function<void()>& check) const {
  ChildOptions options;
  options.errors = ChildErrors::kInherited;
  ChildProcess process({"/bin/sh", "-c", text_}, options);
  std::string output;
  const Clock::time_point end = Clock::now() + kCommandPatience;
  while (!process.at_end() && Clock::now() < end) {
    check();
    output += process.read(std::chrono::milliseconds(20));
  }
  while (!process.exit_code() && Clock::now() < end) {
    check();
    output += process.read(std::chrono::milliseconds(20));
  }
  const std::optional<int> code = process.exit_code();
  if (!code) fail("{} did not end within {} s; it shall print the hosts", text_, kCommandPatience.count());
  if (*code == ChildProcess::kCannotRun) fail("{} is neither a file with hosts nor a command that prints them", text_);
  if (*code != 0) fail("{} failed with exit code {}; it shall print the hosts", text_, *code);
  return output;
}

}  // namespace verbund
