// SPDX-License-Identifier: Apache-2.0
#include "alert/alert_command.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

#include "alert/alert_runner.h"
#include "core/error.h"

namespace verbund {

AlertCommand::AlertCommand(const std::string& command, const AlertLimits& limits) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) fail_errno("cannot make a pair of sockets");
  socket_ = ends[0];
  ChildOptions options;
  options.input_descriptor = ends[1];
  options.outlives = true;
  try {
    runner_ = std::make_unique<ChildProcess>(
        [&] {
          ::close(ends[0]);  // its copies would keep it from hearing the end
          ::close(ends[1]);
          return AlertRunner(command, limits).run();
        },
        options);
  } catch (...) {
    ::close(ends[0]);
    ::close(ends[1]);
    throw;
  }
  ::close(ends[1]);
}

AlertCommand::~AlertCommand() { ::close(socket_); }

void AlertCommand::begin(const std::filesystem::path& run) {
  send({{"run", std::filesystem::absolute(run).lexically_normal().string()}});
}
void AlertCommand::alive(int64_t step) { send({{"step", step}}); }
void AlertCommand::tell(const Alert& alert, int64_t step) {
  constexpr size_t kLongestText = 4000;
  std::string line = alert.text.substr(0, kLongestText);
  std::replace(line.begin(), line.end(), '\n', ' ');
  send({{"kind", alert.kind}, {"text", line}, {"step", step}});
}
void AlertCommand::end() { send({{"end", true}}); }

// If the process does not take messages, they are lost: the training does not wait for it.
void AlertCommand::send(const Json& message) const {
  const std::string bytes = dump_json(message);
  (void)::send(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

std::vector<std::string> AlertCommand::take_troubles() {
  std::vector<std::string> lines;
  troubles_ += runner_->at_end() ? "" : runner_->read(std::chrono::milliseconds(0));
  for (size_t end = 0; (end = troubles_.find('\n')) != std::string::npos; troubles_.erase(0, end + 1)) {
    lines.push_back(troubles_.substr(0, end));
  }
  return lines;
}

}  // namespace verbund
