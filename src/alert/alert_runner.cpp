// SPDX-License-Identifier: Apache-2.0
#include "alert/alert_runner.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <sstream>

#include "core/append_file.h"
#include "core/columns.h"
#include "core/elapsed.h"
#include "core/error.h"
#include "core/wall_clock.h"
#include "record/step_records.h"

namespace verbund {
namespace {

constexpr size_t kMaxOutput = 4000;  // bytes of a command's, in the log
constexpr int kPatience = 50;        // milliseconds between looks at a command

std::vector<std::string> environment_of(const Alert& alert, const std::string& run, int64_t step) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!std::string_view(*variable).starts_with("VERBUND_ALERT_")) variables.emplace_back(*variable);
  }
  variables.push_back("VERBUND_ALERT_KIND=" + alert.kind);
  variables.push_back("VERBUND_ALERT_TEXT=" + printable(alert.text));
  variables.push_back("VERBUND_ALERT_RUN=" + run);
  variables.push_back(fmt::format("VERBUND_ALERT_STEP={}", step));
  return variables;
}

}  // namespace

int AlertRunner::run() {
  std::signal(SIGPIPE, SIG_IGN);  // the training may be gone; the commands get it as usual
  ::fcntl(STDOUT_FILENO, F_SETFL, O_NONBLOCK);
  heard_ = monotonic_seconds();
  while (!closed_ || running_ || !waiting_.empty()) {
    if (!running_ && !waiting_.empty()) start_next();
    if (!closed_) listen(running_ ? kPatience : 1000);
    if (running_) watch_command();
    if (begun_ && !closed_ && !quiet_ && monotonic_seconds() - heard_ > limits_.quiet) {
      quiet_ = true;
      add({quiet_alert(monotonic_seconds() - heard_), step_});
    }
  }
  return 0;
}

void AlertRunner::listen(int milliseconds) {
  pollfd wait = {STDIN_FILENO, POLLIN, 0};
  if (::poll(&wait, 1, milliseconds) <= 0) return;
  char bytes[1 << 15];
  const ssize_t count = ::recv(STDIN_FILENO, bytes, sizeof bytes, MSG_DONTWAIT);
  if (count > 0) {
    heard_ = monotonic_seconds();
    quiet_ = false;
    hear(try_parse_json({bytes, static_cast<size_t>(count)}));
  } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
    hear_end();
  }
}

void AlertRunner::hear(const Json& message) {
  if (!message.is_object()) return;
  if (message.contains("end")) {
    ended_ = true;
  } else if (message.contains("run")) {
    run_ = message["run"].get<std::string>();
    begun_ = true;
  } else {
    step_ = message.value("step", int64_t{0});
    if (message.contains("kind")) add({{message["kind"], message["text"]}, step_});
  }
}

void AlertRunner::hear_end() {
  closed_ = true;
  if (!begun_ || ended_) return;
  const std::vector<StepRecord> last = read_last_step_records(step_records_path(run_, 0), 1);
  if (!last.empty()) step_ = std::max(step_, last[0].step);
  add({lost_alert(step_), step_});
}

void AlertRunner::add(Waiting alert) {
  if (waiting_.size() > limits_.waiting) {
    return complain(fmt::format("alert dropped: {} alerts are already queued for the command of --on-alert: {}",
                                limits_.waiting, alert.alert.text));
  }
  waiting_.push_back(std::move(alert));
}

void AlertRunner::start_next() {
  const Waiting& next = waiting_.front();
  log(fmt::format("alert ({}): {}", next.alert.kind, next.alert.text));
  started_ = monotonic_seconds();
  ChildOptions options;
  options.environment = environment_of(next.alert, run_.string(), next.step);
  try {
    running_ = std::make_unique<ChildProcess>(std::vector<std::string>{"/bin/sh", "-c", command_}, options);
  } catch (const Error& error) {
    finish(error.what(), true);
  }
}

void AlertRunner::watch_command() {
  const std::optional<int> code = running_->exit_code();  // first: what it has printed before is then read below
  const std::string text = running_->read(std::chrono::milliseconds(closed_ && !code ? kPatience : 0));
  output_.append(text, 0, kMaxOutput - std::min(kMaxOutput, output_.size()));
  if (code) {
    finish(fmt::format("ended with {}", *code), *code != 0);
  } else if (monotonic_seconds() - started_ > limits_.seconds) {
    running_.reset();  // kills it, with what it has started
    finish(fmt::format("was killed after {:g} s", limits_.seconds), true);
  }
}

void AlertRunner::finish(const std::string& how, bool failed) {
  running_.reset();
  const std::string last = printable(output_.substr(0, output_.find('\n')));
  const std::string trouble =
      fmt::format("the command of --on-alert {}{}", how, failed && !last.empty() ? ": " + last : std::string());
  log("  " + trouble);
  std::istringstream lines(output_);
  for (std::string line; std::getline(lines, line);) log("  | " + line);
  if (failed) complain(fmt::format("{}. Its alert was: {}", trouble, waiting_.front().alert.text));
  output_.clear();
  waiting_.pop_front();
}

void AlertRunner::log(const std::string& text) const {
  if (run_.empty()) return;
  try {
    (void)AppendFile(run_ / "log.txt").add_line(utc_time() + "  " + printable(text));
  } catch (const Error&) {  // the folder is gone, or its disk is full
  }
}

// Complains to the training, if it still reads.
void AlertRunner::complain(const std::string& text) const {
  const std::string line = printable(text) + "\n";
  (void)!::write(STDOUT_FILENO, line.data(), line.size());
}

}  // namespace verbund
