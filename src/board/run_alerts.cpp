// SPDX-License-Identifier: Apache-2.0
#include "board/run_alerts.h"

namespace verbund {
namespace {

// "ended at step 7: the disk is full" -> "the disk is full"
std::string without_step(const std::string& reason) {
  const size_t colon = reason.starts_with("ended at step ") ? reason.find(": ") : std::string::npos;
  return reason.substr(colon == std::string::npos ? 0 : colon + 2);
}

}  // namespace

std::vector<Alert> find_alerts(const WatchedRun& run, double disk_free) {
  AlertFigures figures;
  figures.running = is_running(run.state());
  figures.step = run.step();
  if (figures.running) {
    if (run.signs().diverged) figures.divergence = run.divergence();
    if (const std::string loss = run.loss_key(); !loss.empty()) figures.loss = run.training().column(loss);
    if (run.is_stalled()) figures.stall = run.stall();
    figures.quiet = run.signs().quiet;
    figures.workers = run.step_times();
    figures.disk_free = disk_free;
    figures.evaluated = run.evaluations().step;
    figures.bleu = run.evaluations().column("dev_bleu");
  } else if (run.state() == RunState::kDiverged) {
    figures.end = "diverged";
    figures.end_reason = run.divergence();
  } else if (run.state() == RunState::kLost) {
    figures.end = "lost";
    if (run.signs().reason.starts_with("lost")) figures.end_reason = run.signs().reason;
  } else if (run.state() == RunState::kFailed) {
    figures.end = "failed";
    figures.end_reason = without_step(run.signs().reason);
  }
  return find_alerts(figures);
}

}  // namespace verbund
