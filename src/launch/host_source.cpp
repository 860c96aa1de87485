// SPDX-License-Identifier: Apache-2.0
#include "launch/host_source.h"

#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "core/child_process.h"
#include "core/error.h"
#include "core/file.h"
#include "core/human.h"

namespace verbund {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kCommandPatience{30};
constexpr size_t kLongestList = 1 << 20;  // bytes: more is not a list of hosts

bool is_plain_file(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) != 0;
}

}  // namespace

HostSource::HostSource(std::string text) : text_(std::move(text)), is_file_(is_plain_file(text_)) {}

std::vector<Host> HostSource::read(const std::function<void()>& check) const {
  return parse_host_file(is_file_ ? read_file(text_) : output_of_command(check), "--hosts-from " + text_);
}

std::string HostSource::output_of_command(const std::function<void()>& check) const {
  ChildOptions options;
  options.errors = ChildErrors::kInherited;
  ChildProcess process({"/bin/sh", "-c", text_}, options);
  std::string output;
  const Clock::time_point end = Clock::now() + kCommandPatience;
  const auto listen = [&] {
    check();
    output += process.read(std::chrono::milliseconds(20));
    if (output.size() > kLongestList) {
      fail("--hosts-from {}: the command prints more than {}, which is not a list of hosts", text_,
           human_bytes(kLongestList));
    }
  };
  while (!process.at_end() && Clock::now() < end) listen();
  while (!process.exit_code() && Clock::now() < end) listen();
  const std::optional<int> code = process.exit_code();
  constexpr const char* kAdvice = "It must print one host per line: HOST slots=WORKERS";
  if (!code) {
    fail("--hosts-from {}: the command did not end within {} s. {}", text_, kCommandPatience.count(), kAdvice);
  }
  if (*code == ChildProcess::kCannotRun) {
    std::error_code error;  // a command may be too long for a path
    fail("--hosts-from {}: exit code {}: {}a command was not found", text_, *code,
         fs::exists(text_, error) ? "" : "there is no file of this name, and ");
  }
  if (*code != 0) fail("--hosts-from {}: the command failed with exit code {}. {}", text_, *code, kAdvice);
  return output;
}

}  // namespace verbund
