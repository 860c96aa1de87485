// SPDX-License-Identifier: Apache-2.0
#include "launch/mpirun_session.h"

#include <algorithm>
#include <csignal>

#include "core/error.h"
#include "core/log.h"
#include "core/status.h"

namespace verbund {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kMoment{50};
constexpr seconds kGraceAfterLoss{15};
constexpr seconds kGraceOfLeftovers{2};

}  // namespace

MpirunSession::MpirunSession(const std::vector<std::string>& command, const std::vector<Host>& hosts, Hear hear)
    : hear_worker_(std::move(hear)),
      workers_(total_slots(hosts)),
      notices_(hosts),
      output_([this](const OutputLine& line) { this->hear(line); }),
      mpirun_(command) {}

bool MpirunSession::listen() {
  if (!mpirun_.exit_code()) {
    output_.add(mpirun_.read(kMoment));
    if (kill_at_ && Clock::now() >= *kill_at_) {
      mpirun_.signal_group(SIGKILL);
      killed_ = true;
    }
    return true;
  }
  end_leftover_children(kGraceOfLeftovers);  // a surviving worker would keep the run folder locked
  for (std::string rest; !(rest = mpirun_.read(milliseconds(0))).empty();) output_.add(rest);
  output_.finish();
  hear_mpirun(notices_.finish());
  exit_code_ = (killed_ && lost_worker_) || !never_started_.empty() ? notices_.exit_code().value_or(kExitLostWorker)
                                                                    : *mpirun_.exit_code();
  return false;
}

void MpirunSession::kill_within(seconds patience) {
  const Clock::time_point at = Clock::now() + patience;
  kill_at_ = kill_at_ ? std::min(*kill_at_, at) : at;
}

std::vector<int> MpirunSession::not_ready() const {
  const std::set<int>& ready = all_started() && !connecting_.empty() ? connected_ : started_;
  std::vector<int> ranks;
  for (int rank = 0; rank < workers_; ++rank) {
    if (!ready.contains(rank)) ranks.push_back(rank);
  }
  return ranks;
}

void MpirunSession::limit_start(seconds patience) {
  if (lost_worker_ || Clock::now() < last_progress_ + patience) return;
  never_started_ = not_ready();
  if (never_started_.empty()) return;
  note_loss();
  mpirun_.signal(SIGTERM);
}

void MpirunSession::hear(const OutputLine& line) {
  mpirun_spoke_last_ = line.rank == OutputLine::kMpirun;
  if (mpirun_spoke_last_) return hear_mpirun(notices_.add(line.text));
  const std::optional<WorkerRecord> record = line.is_stdout ? std::nullopt : parse_marked_record(line.text);
  if (!record) return hear_worker_(line);
  if (record->event != WorkerEvent::kLost) {
    const bool is_start = record->event == WorkerEvent::kStarted;
    (is_start ? started_ : record->event == WorkerEvent::kConnecting ? connecting_ : connected_).insert(line.rank);
    last_progress_ = Clock::now();
    return;
  }
  if (rank_of_lost_ < 0) rank_of_lost_ = record->worker;
  note_loss();
}

void MpirunSession::hear_mpirun(const std::vector<std::string>& shown) {
  if (!notices_.reason().empty()) note_loss();
  for (const std::string& line : shown) {
    if (!line.empty()) print_line("[mpirun] " + line);
  }
}

void MpirunSession::note_loss() {
  if (lost_worker_) return;
  lost_worker_ = true;
  kill_within(kGraceAfterLoss);
}

}  // namespace verbund
