#include "launch/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <memory>
#include <thread>

#include "core/error.h"
#include "core/interrupt.h"

namespace verbund {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void become(const std::vector<std::string>& command, int output, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(128 + SIGTERM);  // it died before the line above
  restore_default_signals();
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execvp(words[0], words.data());
  ::dprintf(STDERR_FILENO, "cannot run %s: %s\n", words[0], std::strerror(errno));
  ::_exit(127);
}

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
    if (name_end == std::string::npos) continue;
    if (std::sscanf(stat.c_str() + name_end + 1, " %c %d", &state, &parent) == 2 && parent == ::getpid()) {
      found.push_back(id);
    }
  }
  return found;
}

}  // namespace

Process::Process(const std::vector<std::string>& command) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail_errno("cannot make a pipe for {}", command[0]);
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  const pid_t parent = ::getpid();
  id_ = ::fork();
  if (id_ == 0) become(command, ends[1], parent);
  ::close(ends[1]);
  output_ = ends[0];
  if (id_ < 0) {
    ::close(output_);
    fail_errno("cannot start {}", command[0]);
  }
  ::setpgid(id_, id_);  // whoever of the two comes first
}

Process::~Process() {
  if (!exit_code()) {
    signal_group(SIGKILL);
    ::waitpid(id_, nullptr, 0);
  }
  ::close(output_);
}

std::string Process::read(std::chrono::milliseconds patience) {
  std::string text;
  if (at_end_) {
    std::this_thread::sleep_for(patience);
    return text;
  }
  pollfd wait = {output_, POLLIN, 0};
  if (::poll(&wait, 1, static_cast<int>(patience.count())) <= 0) return text;
  char buffer[1 << 16];  // what a pipe holds: one that never rests does not keep us here
  const ssize_t count = ::read(output_, buffer, sizeof buffer);
  at_end_ = count == 0;
  if (count > 0) text.assign(buffer, static_cast<size_t>(count));
  return text;
}

std::optional<int> Process::exit_code() {
  int status = 0;
  if (!exit_code_ && ::waitpid(id_, &status, WNOHANG) == id_) {
    exit_code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }
  return exit_code_;
}

void Process::signal(int number) const {
  if (!exit_code_) ::kill(id_, number);
}

void Process::signal_group(int number) const {
  if (!exit_code_) ::kill(-id_, number);
}

void adopt_orphans() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

void end_leftover_children(std::chrono::milliseconds grace) {
  const Clock::time_point kill_at = Clock::now() + grace;
  const Clock::time_point give_up_at = kill_at + std::chrono::seconds(10);  // one that a dead disk holds
  while (Clock::now() < give_up_at) {
    pid_t ended = 0;
    while ((ended = ::waitpid(-1, nullptr, WNOHANG)) > 0) {
    }
    if (ended < 0) return;  // there are none
    if (Clock::now() >= kill_at) {
      for (const pid_t child : children()) ::kill(child, SIGKILL);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

}  // namespace verbund
