// SPDX-License-Identifier: Apache-2.0
#include "alert/alert_watch.h"

#include "core/elapsed.h"
#include "core/error.h"
#include "core/file.h"
#include "core/interrupt.h"
#include "core/log.h"

namespace verbund {

AlertWatch::AlertWatch(AlertCommand& command, Watched watched, double seconds_between_looks)
    : command_(command), watched_(std::move(watched)), between_(seconds_between_looks) {}

AlertWatch::~AlertWatch() { stop(); }

void AlertWatch::begin(int64_t step) {
  const std::lock_guard lock(mutex_);
  step_ = std::max<int64_t>(0, step);
  metrics_ = {};
  try {  // of earlier parts of the run; lines of undone steps were removed
    if (const fs::path path = watched_.folder / "metrics.jsonl"; fs::exists(path)) {
      metrics_.add(MappedFile(path).bytes());
    }
  } catch (const Error&) {
  } catch (const fs::filesystem_error&) {
  }
  if (looking_.joinable()) return;
  command_.begin(watched_.folder);
  command_.alive(step_);
  looking_ = std::thread([this] { look_now_and_then(); });
}

void AlertWatch::metrics(const Json& line) {
  command_.alive(step_);  // so that the step of a loss is known to a line of the log
  const std::string text = dump_json(line) + "\n";
  const std::lock_guard lock(mutex_);
  metrics_.add(text);
}

void AlertWatch::event(const RunEvent& happened) {
  const auto detail = [&](const char* key) { return happened.details.value(key, std::string()); };
  const std::lock_guard lock(mutex_);
  if (happened.step >= 0) step_ = happened.step;
  if (happened.event == "stall") {
    stall_ = detail("message");
    look();
  } else if (happened.event == "goes_on") {
    stall_.clear();
  } else if (happened.event == "diverged") {
    divergence_ = detail("reason");
  } else if (happened.event == "roll_back") {
    look();  // it was not told yet
    divergence_.clear();
  } else if (happened.event == "lost_worker" || (happened.event == "fail" && pending_interrupt() == 0)) {
    end_ = happened.event == "lost_worker" ? "lost" : divergence_.empty() ? "failed" : "diverged";
    end_reason_ = end_ == "diverged" ? divergence_ : detail("reason").empty() ? detail("message") : detail("reason");
    look();
    command_.end();  // after an event of the watchdog, this process ends without another call
  }
}

void AlertWatch::end() {
  stop();
  {
    const std::lock_guard lock(mutex_);
    if (end_.empty()) look();
  }
  command_.end();
}

void AlertWatch::stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  stopped_.notify_all();
  if (looking_.joinable()) looking_.join();
}

void AlertWatch::look_now_and_then() {
  std::unique_lock lock(mutex_);
  while (!stopped_.wait_for(lock, std::chrono::duration<double>(between_), [&] { return stop_; })) {
    command_.alive(step_);
    if (end_.empty()) look();
    for (const std::string& trouble : command_.take_troubles()) warn_line(trouble);
  }
}

void AlertWatch::look() {
  AlertFigures figures;
  figures.running = end_.empty();
  figures.end = end_;
  figures.end_reason = end_reason_;
  figures.step = step_;
  if (figures.running) {
    figures.divergence = divergence_;
    figures.loss = metrics_.training.column("train_cross_entropy");
    figures.stall = stall_;
    figures.workers = read_worker_step_times(watched_.folder, static_cast<int>(watched_.workers.size()), watched_.start,
                                             [&](int rank) { return watched_.workers[static_cast<size_t>(rank)]; });
    figures.disk_free = free_bytes(watched_.folder);
    figures.evaluated = metrics_.evaluations.step;
    figures.bleu = metrics_.evaluations.column("dev_bleu");
  }
  tell(find_alerts(figures));
}

void AlertWatch::tell(const std::vector<Alert>& alerts) {
  const double now = monotonic_seconds();
  std::erase_if(told_, [&](const auto& told) { return now - told.second > kSecondsUntilGone; });
  for (const Alert& alert : alerts) {
    if (!told_.contains(alert.kind)) {
      log_line("alert: " + alert.text);
      command_.tell(alert, step_);
    }
    told_[alert.kind] = now;
  }
}

}  // namespace verbund
