// SPDX-License-Identifier: Apache-2.0
#include "train/stepper.h"

#include <algorithm>
#include <utility>

#include "core/elapsed.h"
#include "core/human.h"
#include "core/interrupt.h"
#include "core/log.h"
#include "train/evaluator.h"
#include "train/mixture_log.h"

namespace verbund {
namespace {

using Clock = std::chrono::steady_clock;

void judge(const std::string& trouble) {
  if (!trouble.empty()) throw Diverged{trouble};
}

}  // namespace

Stepper::Stepper(Run& run, Observers& observers)
    : run_(run), state_(run.state), observers_(observers), window_(run.workers.size()) {}

void Stepper::forget() {
  window_.forget();
  unreported_.clear();
}

int Stepper::step(Prefetcher& batches) {
  const auto began = Clock::now();
  const double waited_before = batches.seconds_waited();
  const WorkerBatch& batch = batches.next();
  StepResult result = train_step(state_, batch, began);
  if (state_.outer == nullptr) judge(state_.guard.judge(result.loss.mean(), !result.trouble));
  ++state_.step;
  state_.position = batch.next();
  state_.mixture.see(batch.global_pairs());
  state_.target_tokens += static_cast<int64_t>(batch.global_target_tokens());
  if (state_.outer != nullptr) end_step_of_round(result, began);
  result.times.waited = batches.seconds_waited() - waited_before;
  result.times.seconds = seconds_since(began);
  state_.training_seconds += result.times.seconds;
  unreported_.push_back(see(result, batch, began));
  if (!run_.is_meeting()) return 0;
  report_steps();
  return result.stop_signal;
}

void Stepper::end_step_of_round(StepResult& result, std::chrono::steady_clock::time_point began) {
  const WorkersConfig& config = run_.config.workers;
  round_.add(result, state_.guard);
  OuterStep& outer = *state_.outer;
  Weights& weights = state_.model->weights();
  const bool meets = run_.is_meeting();
  const auto ended = Clock::now();
  if (!outer.is_sent() && (meets || (state_.step + config.sync_delay) % config.sync_every == 0)) {
    outer.send(weights, state_.reducer, began, meets);
  }
  if (!meets) return;
  run_.workers.watchdog().report_phase(state_.step - 1, "waiting for the weights of all");
  const bool finite = outer.receive(state_.reducer);
  result.stop_signal = round_.meet(run_.workers);
  round_.end(finite);
  result.times.exposed += seconds_since(ended);
  result.times.exchange = state_.reducer.times().busy;
  result.times.bytes = state_.reducer.times().bytes;
  if (!finite) return;
  const auto received = Clock::now();
  outer.update(weights);
  const auto steps = static_cast<int64_t>(unreported_.size()) + 1;  // of the round: this step is not among them yet
  state_.average.update(weights.values(), state_.step, steps);
  result.times.update += seconds_since(received);
}

StepSeen Stepper::see(const StepResult& result, const WorkerBatch& batch,
                      std::chrono::steady_clock::time_point began) const {
  const double epoch = static_cast<double>(batch.position().epoch) - state_.mixture.skipped_epochs() +
                       static_cast<double>(batch.position().batch + 1) / static_cast<double>(batch.epoch_batches());
  return {.step = state_.step,
          .began = run_.workers.run_clock(began),
          .epoch = epoch,
          .loss = result.loss,
          .own = result.own,
          .rate = result.rate,
          .gradient_norm = result.gradient_norm,
          .updated = result.updated,
          .training_seconds = state_.training_seconds,
          .target_tokens = state_.target_tokens,
          .times = result.times,
          .mixture = state_.step % run_.config.train.log_every == 0 ? mixture_values(state_.mixture) : Json()};
}

void Stepper::report_steps() {
  const std::vector<StepSeen> steps = std::exchange(unreported_, {});
  const std::vector<Round::Step> all = round_.take();
  for (size_t i = 0; i < steps.size(); ++i) {
    StepSeen seen = steps[i];
    if (state_.outer != nullptr) {
      seen.loss = all[i].loss;
      seen.gradient_norm = all[i].gradient_norm;
      seen.updated = all[i].updated;
      const std::string trouble = all[i].trouble.empty() ? state_.guard.judge(seen.loss.mean(), true) : all[i].trouble;
      if (!trouble.empty()) state_.step = seen.step - 1;
      judge(trouble);
    }
    report(seen);
  }
  if (const std::string settled = state_.reducer.take_report(); !settled.empty()) {
    observers_.event({"buckets", state_.step, {}, settled, false});
  }
}

void Stepper::report(const StepSeen& seen) {
  window_.add(seen);
  observers_.step(seen);
  if (run_.is_benchmark() || seen.step % run_.config.train.log_every != 0) return;
  run_.keeper->check_in_place();
  observers_.metrics(window_.take(seen));
}

void Stepper::tell_of_waiting_stop() {
  if (pending_interrupt() == 0 || std::exchange(stop_waits_, true)) return;
  const int64_t every = run_.config.workers.sync_every, last = run_.length().steps;
  int64_t left = every - state_.step % every;
  if (last > state_.step) left = std::min(left, last - state_.step);
  double seconds = 0;
  for (const StepSeen& seen : unreported_) seconds += seen.times.seconds;
  log("run: finishing the round: {} step{}, about {}", human_count(static_cast<uint64_t>(left)), left == 1 ? "" : "s",
      human_duration(seconds / static_cast<double>(unreported_.size()) * static_cast<double>(left)));
}

}  // namespace verbund
