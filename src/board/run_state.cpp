// SPDX-License-Identifier: Apache-2.0
#include "board/run_state.h"

namespace verbund {
namespace {

bool is_evaluation_due(const RunSigns& signs) {
  if (signs.step == 0) return signs.evaluates_first && signs.evaluated < 0;
  if (signs.evaluated >= signs.step) return false;
  return (signs.eval_every > 0 && signs.step % signs.eval_every == 0) || signs.step == signs.last_step;
}

}  // namespace

const char* state_name(RunState state) {
  switch (state) {
    case RunState::kTraining:
      return "training";
    case RunState::kEvaluating:
      return "evaluating";
    case RunState::kStopped:
      return "stopped";
    case RunState::kFinished:
      return "finished";
    case RunState::kLost:
      return "lost";
    case RunState::kDiverged:
      return "diverged";
    case RunState::kFailed:
      return "failed";
    case RunState::kImported:
      return "imported";
    case RunState::kUnclear:
      break;
  }
  return "unknown";
}

bool is_running(RunState state) { return state == RunState::kTraining || state == RunState::kEvaluating; }

RunState judge_state(const RunSigns& signs) {
  if (signs.imported) return signs.diverged ? RunState::kDiverged : RunState::kImported;
  if (!signs.reason.empty()) {
    if (signs.diverged) return RunState::kDiverged;
    if (signs.reason.starts_with("finished")) return RunState::kFinished;
    if (signs.reason.starts_with("stopped")) return RunState::kStopped;
    return signs.reason.starts_with("lost") || signs.reason.starts_with("killed") ? RunState::kLost : RunState::kFailed;
  }
  if (signs.locked || signs.quiet < kQuietUntilLost) {
    return is_evaluation_due(signs) ? RunState::kEvaluating : RunState::kTraining;
  }
  return signs.has_starts ? RunState::kLost : RunState::kUnclear;
}

}  // namespace verbund
