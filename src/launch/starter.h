// SPDX-License-Identifier: Apache-2.0
// Starter is the program that starts the workers of a job, such as mpirun: its command for a list of hosts, and the
// meaning of what it prints. Hosts, restarts and requests to stop are not its concern (supervisor.h, job.h).
//
// Every starter keeps this contract: worker i runs on `host_of_worker(hosts, i)`. `pass_on` asks all
// workers to save and exit; at SIGTERM, the program ends them. It exits when all have ended; not with 0, if one
// of them failed.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/child_process.h"
#include "core/human.h"
#include "core/interrupt.h"
#include "launch/host_list.h"
#include "launch/job_settings.h"

namespace verbund {

struct OutputLine {
  static constexpr int kStarter = -1;

  int rank = kStarter;  // kStarter: written by the starter itself, its daemons or the rsh agent
  bool is_stdout = false;
  std::string text;
};

// WorkerLines splits what a starter prints into the lines of its workers and its own.
class WorkerLines {
 public:
  using Sink = std::function<void(const OutputLine&)>;

  virtual ~WorkerLines() = default;
  // Takes output of stdout or stderr; of stdout, if the starter does not keep them apart.
  virtual void add(std::string_view bytes, bool is_stdout) = 0;
  // The streams have ended: text without a line end becomes a line, too.
  virtual void finish() = 0;
};

// StarterNotices reads the starter's own messages. Those that only report a lost worker or host are parsed and not
// shown, because one sentence of ours says it; all others are shown.
class StarterNotices {
 public:
  virtual ~StarterNotices() = default;

  // Takes the next line; returns the lines to show now.
  virtual std::vector<std::string> add(const std::string& line) = 0;

  // The output has ended: returns what is left to show.
  virtual std::vector<std::string> finish() = 0;

  // The starter itself was terminated, and stopped the workers. `spoke_last`: the last line was its own.
  virtual bool was_terminated(int exit_code, bool spoke_last) const = 0;

  // The workers were asked to stop by somebody else than launch, such as the scheduler, and did.
  virtual bool was_asked_to_stop() const { return false; }

  // Why the job ended, as "worker 1 on b was killed by signal 9 (Killed)"; "" if the starter did not say.
  const std::string& reason() const { return reason_; }

  // Exit code of the worker that failed first, 128 + n for signal n; nothing if the starter did not say.
  std::optional<int> exit_code() const { return exit_code_; }

  // The starter could not start its daemon on a host, or lost it.
  bool lost_host() const { return lost_host_; }

  // A worker's program or folder is missing: it never started.
  bool cannot_start() const { return cannot_start_; }

 protected:
  std::string reason_;
  std::optional<int> exit_code_;
  bool lost_host_ = false;
  bool cannot_start_ = false;
};

class Starter {
 public:
  virtual ~Starter() = default;

  virtual std::string name() const = 0;  // "mpirun", for messages
  virtual std::vector<std::string> command(const JobSettings& job, const std::vector<Host>& hosts) const = 0;

  // The words before a command that shall run on a host, reached as the starter reaches it: "ssh", ..., "b".
  virtual std::vector<std::string> on_host(const std::string& host) const = 0;

  virtual bool keeps_streams_apart() const { return false; }  // stdout and stderr have to be read separately
  // The command that runs a shell script on a host. An agent such as ssh hands its words to a shell there.
  virtual std::vector<std::string> shell_on_host(const std::string& host, const std::string& script) const {
    std::vector<std::string> words = on_host(host);
    words.insert(words.end(), {"sh", "-c", shell_line({script})});
    return words;
  }

  virtual std::unique_ptr<WorkerLines> lines(WorkerLines::Sink sink) const = 0;
  virtual std::unique_ptr<StarterNotices> notices(const std::vector<Host>& hosts) const = 0;

  // Tells all workers of the running program that this process has got SIGTERM, SIGINT or SIGHUP.
  virtual void pass_on(int signal, const ChildProcess& program) const { program.signal(passed_on_as(signal)); }

  // Ends workers that run although the starter has ended with a failure; its own children have ended already.
  virtual void end_leftovers() const {}

  // Next actions, for messages: a host does not answer; the starter's program is not installed.
  virtual std::string advice_for_silent_host() const = 0;
  virtual std::string advice_if_missing() const = 0;
};

}  // namespace verbund
