// SPDX-License-Identifier: Apache-2.0
#include "core/child_process.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <thread>
#include <utility>

#include "core/error.h"
#include "core/interrupt.h"

namespace verbund {
namespace {

using Clock = std::chrono::steady_clock;

// The name of processes that outlive their parents; the system allows 15 letters.
constexpr std::string_view kOutlivingName = "verbund-aside";

// A file in memory that is read from its beginning; /dev/null for no input.
int open_input(const std::string& input, int descriptor) {
  if (descriptor >= 0) return ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (input.empty()) return ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int file = ::memfd_create("input", MFD_CLOEXEC);
  for (size_t done = 0; file >= 0 && done < input.size();) {
    const ssize_t count = ::write(file, input.data() + done, input.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      ::close(file);
      return -1;
    }
    done += static_cast<size_t>(count);
  }
  if (file >= 0) ::lseek(file, 0, SEEK_SET);
  return file;
}

void limit_resource(__rlimit_resource resource, uint64_t max) {
  const rlimit limit = {max, max};
  ::setrlimit(resource, &limit);
}

void limit_resources(const ChildOptions& options) {
  const auto seconds = static_cast<uint64_t>(options.processor_time.count());
  if (options.memory > 0) limit_resource(RLIMIT_AS, options.memory);
  if (seconds > 0) limit_resource(RLIMIT_CPU, seconds);
  if (options.memory > 0 || seconds > 0) limit_resource(RLIMIT_CORE, 0);
}

// The list of pointers for exec, which ends with null.
std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

// All that allocates memory is done before the fork. Points into both parameters.
std::function<int()> program(const std::vector<std::string>& command, const ChildOptions& options) {
  return [words = pointers(command), inherits = !options.environment,
          variables = options.environment ? pointers(*options.environment) : std::vector<char*>()] {
    ::execvpe(words[0], words.data(), inherits ? environ : variables.data());
    ::dprintf(STDERR_FILENO, "cannot run %s: %s\n", words[0], std::strerror(errno));
    return ChildProcess::kCannotRun;
  };
}

// The child: never returns.
[[noreturn]] void run_child(const std::function<int()>& function, const ChildOptions& options, int input, int output,
                            int errors, pid_t parent) {
  if (options.outlives) {
    ::setsid();
    ::prctl(PR_SET_NAME, kOutlivingName.data());
  } else {
    if (options.own_group) ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::_exit(128 + SIGTERM);  // it died before the line above
  }
  restore_default_signals();
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::dup2(input, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  if (options.errors != ChildErrors::kInherited) ::dup2(errors, STDERR_FILENO);
  limit_resources(options);
  int code = 1;
  try {
    code = function();
  } catch (const std::exception& error) {
    ::dprintf(STDERR_FILENO, "%s\n", error.what());
  }
  std::fflush(stderr);
  ::_exit(code);
}

// The end to read from and the end to write to.
std::pair<int, int> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail_errno("cannot make a pipe for a child process");
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return {ends[0], ends[1]};
}

std::string read_some(int stream, bool& at_end) {
  char buffer[1 << 16];  // what a pipe holds: one that never rests does not keep us here
  const ssize_t count = ::read(stream, buffer, sizeof buffer);
  at_end = count == 0;
  return {buffer, static_cast<size_t>(std::max<ssize_t>(count, 0))};
}

// Without those that outlive their parents.
std::vector<pid_t> children() {
  std::vector<pid_t> found;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc"), ::closedir);
  while (const dirent* entry = folder ? ::readdir(folder.get()) : nullptr) {
    const pid_t id = std::atoi(entry->d_name);
    if (id <= 0) continue;
    std::ifstream file(fmt::format("/proc/{}/stat", id));
    std::string stat;
    std::getline(file, stat);
    const size_t name_end = stat.rfind(')');  // a name may hold anything
    char state = 0;
    pid_t parent = 0;
    if (name_end == std::string::npos || stat.find(fmt::format("({})", kOutlivingName)) < name_end) continue;
    if (std::sscanf(stat.c_str() + name_end + 1, " %c %d", &state, &parent) == 2 && parent == ::getpid()) {
      found.push_back(id);
    }
  }
  return found;
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& command, const ChildOptions& options)
    : ChildProcess(program(command, options), options) {}

ChildProcess::ChildProcess(const std::function<int()>& function, const ChildOptions& options)
    : own_group_(options.own_group), outlives_(options.outlives) {
  const int input = open_input(options.input, options.input_descriptor);
  if (input < 0) fail_errno("cannot make the input of a child process");
  const auto [output, output_end] = make_pipe();
  const bool apart = options.errors == ChildErrors::kApart;
  const auto [errors, errors_end] = apart ? make_pipe() : std::pair(-1, output_end);
  const pid_t parent = ::getpid();
  id_ = ::fork();
  const int why = errno;
  if (id_ == 0) run_child(function, options, input, output_end, errors_end, parent);
  ::close(input);
  ::close(output_end);
  if (apart) ::close(errors_end);
  output_ = output;
  errors_ = errors;
  errors_at_end_ = !apart;
  if (id_ < 0) {
    close_streams();
    errno = why;
    fail_errno("cannot start a child process");
  }
  if (own_group_ && !outlives_) ::setpgid(id_, id_);  // whoever of the two comes first
}

ChildProcess::~ChildProcess() {
  if (!exit_code() && !outlives_) {
    signal_group(SIGKILL);
    while (::waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  close_streams();
}

void ChildProcess::close_streams() const {
  ::close(output_);
  if (errors_ >= 0) ::close(errors_);
}

std::string ChildProcess::read(std::chrono::milliseconds patience) {
  if (at_end_ && errors_at_end_) {
    std::this_thread::sleep_for(patience);
    return "";
  }
  pollfd streams[] = {{at_end_ ? -1 : output_, POLLIN, 0}, {errors_at_end_ ? -1 : errors_, POLLIN, 0}};
  ::poll(streams, 2, static_cast<int>(patience.count()));
  return streams[0].revents != 0 ? read_some(output_, at_end_) : "";
}

std::string ChildProcess::read_errors() { return errors_at_end_ ? "" : read_some(errors_, errors_at_end_); }

std::optional<int> ChildProcess::exit_code() {
  int status = 0;
  if (!exit_code_ && ::waitpid(id_, &status, WNOHANG) == id_) note_end(status);
  return exit_code_;
}

int ChildProcess::wait() {
  int status = 0;
  while (!exit_code_) {
    if (::waitpid(id_, &status, 0) == id_) {
      note_end(status);
    } else if (errno != EINTR) {
      fail_errno("cannot wait for a child process");
    }
  }
  return *exit_code_;
}

void ChildProcess::note_end(int status) {
  exit_code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void ChildProcess::signal(int number) const {
  if (!exit_code_) ::kill(id_, number);
}

void ChildProcess::signal_group(int number) const {
  if (!exit_code_) ::kill(own_group_ ? -id_ : id_, number);
}

CommandEnd run_command(const std::vector<std::string>& command, std::chrono::seconds patience) {
  ChildProcess process(command);
  CommandEnd end;
  const Clock::time_point kill_at = Clock::now() + patience;
  while (!process.exit_code()) {
    end.output += process.read(std::chrono::milliseconds(20));
    if (Clock::now() >= kill_at) process.signal_group(SIGKILL);
  }
  for (std::string rest; !(rest = process.read(std::chrono::milliseconds(0))).empty();) end.output += rest;
  end.exit_code = *process.exit_code();
  return end;
}

void adopt_orphans() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

void end_leftover_children(std::chrono::milliseconds grace) {
  const Clock::time_point kill_at = Clock::now() + grace;
  const Clock::time_point give_up_at = kill_at + std::chrono::seconds(10);  // one that a dead disk holds
  while (Clock::now() < give_up_at) {
    pid_t ended = 0;
    while ((ended = ::waitpid(-1, nullptr, WNOHANG)) > 0) {
    }
    const std::vector<pid_t> left = ended < 0 ? std::vector<pid_t>() : children();
    if (left.empty()) return;
    if (Clock::now() >= kill_at) {
      for (const pid_t child : left) ::kill(child, SIGKILL);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

}  // namespace verbund
