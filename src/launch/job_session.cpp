// SPDX-License-Identifier: Apache-2.0
#include "launch/job_session.h"

#include <algorithm>
#include <csignal>

#include "core/error.h"
#include "core/log.h"
#include "core/status.h"
#include "data/verified_note.h"

namespace verbund {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kMoment{50};
constexpr seconds kGraceAfterLoss{6};
constexpr seconds kGraceOfLeftovers{2};

}  // namespace

JobSession::JobSession(const Starter& starter, const JobSettings& job, const std::vector<Host>& hosts, Hear hear)
    : hear_worker_(std::move(hear)),
      workers_(total_slots(hosts)),
      starter_(starter),
      notices_(starter.notices(hosts)),
      lines_(starter.lines([this](const OutputLine& line) { this->hear(line); })),
      process_(starter.command(job, hosts),
               {.errors = starter.keeps_streams_apart() ? ChildErrors::kApart : ChildErrors::kWithOutput}) {}

bool JobSession::listen() {
  if (!process_.exit_code()) {
    read(kMoment);
    if (kill_at_ && Clock::now() >= *kill_at_) {
      process_.signal_group(SIGKILL);
      killed_ = true;
    }
    return true;
  }
  end_leftover_children(kGraceOfLeftovers);  // a surviving worker would keep the run folder locked
  if (*process_.exit_code() != 0) starter_.end_leftovers();
  while (read(milliseconds(0))) {
  }
  lines_->finish();
  hear_starter(notices_->finish());
  const bool gave_up = (killed_ && lost_worker_) || !never_started_.empty();
  const int code = gave_up ? kExitLostWorker : *process_.exit_code();
  exit_code_ = code == 0 ? 0 : notices_->exit_code().value_or(code);
  return false;
}

bool JobSession::read(milliseconds patience) {
  const std::string output = process_.read(patience);
  const std::string errors = process_.read_errors();
  lines_->add(output, true);
  lines_->add(errors, false);
  return !output.empty() || !errors.empty();
}

void JobSession::kill_within(seconds patience) {
  const Clock::time_point at = Clock::now() + patience;
  kill_at_ = kill_at_ ? std::min(*kill_at_, at) : at;
}

std::vector<int> JobSession::not_ready() const {
  const std::set<int>& ready = all_started() && !connecting_.empty() ? connected_ : started_;
  std::vector<int> ranks;
  for (int rank = 0; rank < workers_; ++rank) {
    if (!ready.contains(rank)) ranks.push_back(rank);
  }
  return ranks;
}

void JobSession::limit_start(seconds patience) {
  if (lost_worker_ || Clock::now() < last_progress_ + patience) return;
  never_started_ = not_ready();
  if (never_started_.empty()) return;
  note_loss();
  process_.signal(SIGTERM);
}

void JobSession::hear(const OutputLine& line) {
  starter_spoke_last_ = line.rank == OutputLine::kStarter;
  if (starter_spoke_last_) return hear_starter(notices_->add(line.text));
  if (const auto note = line.is_stdout ? std::nullopt : parse_verified(line.text)) {
    verified_.insert(*note);
    return;
  }
  const std::optional<WorkerRecord> record = line.is_stdout ? std::nullopt : parse_marked_record(line.text);
  if (!record) return hear_worker_(line);
  last_progress_ = Clock::now();
  switch (record->event) {
    case WorkerEvent::kStarted:
      started_.insert(line.rank);
      return;
    case WorkerEvent::kConnecting:
      connecting_.insert(line.rank);
      return;
    case WorkerEvent::kConnected:
      connected_.insert(line.rank);
      return;
    case WorkerEvent::kTraining:
      has_trained_ = true;
      return;
    case WorkerEvent::kLost:
      if (rank_of_lost_ < 0) rank_of_lost_ = record->worker;
      note_loss();
  }
}

void JobSession::hear_starter(const std::vector<std::string>& shown) {
  if (!notices_->reason().empty()) note_loss();
  for (const std::string& line : shown) {
    if (!line.empty()) print_line(fmt::format("[{}] {}", starter_.name(), line));
  }
}

void JobSession::note_loss() {
  if (lost_worker_) return;
  lost_worker_ = true;
  kill_within(kGraceAfterLoss);
}

}  // namespace verbund
