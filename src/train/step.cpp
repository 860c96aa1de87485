// SPDX-License-Identifier: Apache-2.0
#include "train/step.h"

#include <array>
#include <cmath>

#include "core/elapsed.h"
#include "optim/clip.h"
#include "train/stop_vote.h"

namespace verbund {
namespace {

// The phases of a step: each is timed, and the watchdog knows the current one.
enum class Phase { kCompute, kExchange, kUpdate };

class Phases {
 public:
  Phases(Workers& workers, int64_t step) : workers_(workers), step_(step) { enter(Phase::kCompute); }

  // Ends the previous phase.
  void enter(Phase phase) {
    static constexpr const char* kNames[] = {"forward and backward", "waiting for the gradients of all", "update"};
    lap();
    current_ = static_cast<size_t>(phase);
    workers_.watchdog().report_phase(step_, kNames[current_]);
  }
  void end() { lap(); }

  double seconds(Phase phase) const { return seconds_[static_cast<size_t>(phase)]; }

 private:
  using Clock = std::chrono::steady_clock;

  void lap() {
    const auto now = Clock::now();
    seconds_[current_] += std::chrono::duration<double>(now - entered_).count();
    entered_ = now;
  }

  Workers& workers_;
  int64_t step_;
  Clock::time_point entered_ = Clock::now();
  size_t current_ = 0;
  std::array<double, 3> seconds_ = {};
};

// The loss of all workers, and the signal that one of them has received.
void sum_over_workers(Workers& workers, StepResult& result) {
  const Loss& own = result.own;
  const StopVote vote = own_stop_vote();
  double sums[] = {own.smoothed,
                   own.cross_entropy,
                   static_cast<double>(own.tokens),
                   static_cast<double>(own.correct),
                   vote[0],
                   vote[1],
                   vote[2]};
  workers.comm().sum(sums);
  result.loss = {sums[0], sums[1], static_cast<int64_t>(sums[2]), static_cast<int64_t>(sums[3])};
  result.stop_signal = voted_signal(std::span(sums).subspan<4, 3>());
}

// The size of the whole gradient, of which each worker may have a shard.
GradientSize measure_gradient(TrainState& state) {
  const GradientSize own = measure(state.model->gradients(), state.optimizer->active());
  if (!state.reducer.is_sharded()) return own;
  double squares = own.norm * own.norm;
  state.workers.comm().sum({&squares, 1});
  const double largest = state.workers.comm().max(own.largest);
  return {std::sqrt(squares), std::isfinite(squares) ? largest : squares};
}

void take_times(Phases& phases, const TrainState& state, StepTimes& times) {
  phases.end();
  times.compute = phases.seconds(Phase::kCompute);
  times.exposed = phases.seconds(Phase::kExchange);
  times.update = phases.seconds(Phase::kUpdate);
  if (state.outer != nullptr) return;  // nothing was exchanged
  const GradientReducer& reducer = state.reducer;
  times.exchange = reducer.times().busy;
  times.bytes = reducer.times().bytes;
  times.tuning = reducer.is_tuning();
  times.buckets.assign(reducer.buckets().begin(), reducer.buckets().end());
}

}  // namespace

double mean_loss(TrainState& state, const WorkerBatch& batch) {
  double sum = 0;
  for (const Batch& part : batch.micro_batches()) sum += state.model->evaluate(part).smoothed;
  state.workers.comm().sum({&sum, 1});
  return sum / static_cast<double>(batch.global_target_tokens());
}

StepResult train_step(TrainState& state, const WorkerBatch& batch, std::chrono::steady_clock::time_point began) {
  const double loss_scale = state.scaler->scale();
  const Pass pass = {static_cast<uint64_t>(state.config.seed), static_cast<uint64_t>(state.step), true,
                     static_cast<float>(loss_scale)};
  StepResult result;
  Phases phases(state.workers, state.step);
  const bool alone = state.outer != nullptr;  // in a round: the workers exchange when they meet
  if (alone) state.outer->begin_step(state.model->weights());
  state.model->gradients().zero();
  if (!alone) state.reducer.begin(began);
  for (const Batch& part : batch.micro_batches()) {
    const bool last = &part == &batch.micro_batches().back();
    GradientReady ready =
        alone ? GradientReady() : state.reducer.listener(last);  // gradients are sent during the backward pass
    ready.backward_begins = [&] { result.times.backward = seconds_since(began); };
    result.own += state.model->accumulate(part, pass, ready);
  }
  phases.enter(Phase::kExchange);
  if (alone) {
    result.loss = result.own;
    state.outer->count_tokens(result.own.tokens, static_cast<int64_t>(batch.global_target_tokens()));
  } else {
    state.reducer.finish();
    sum_over_workers(state.workers, result);
  }

  // The gradient is a sum over tokens; dividing by all of them is part of the update. Alone, a worker may have none.
  phases.enter(Phase::kUpdate);
  const auto tokens =
      static_cast<double>(alone ? static_cast<uint64_t>(result.own.tokens) : batch.global_target_tokens());
  const double scale = tokens > 0 ? 1.0 / (tokens * loss_scale) : 0;
  const GradientSize size = measure_gradient(state);
  result.gradient_norm = size.norm * scale;
  result.rate = state.schedule.rate(state.step) * state.rate_factor;
  result.updated = state.scaler->update(size.largest / loss_scale);
  result.trouble = !result.updated && state.scaler->scale() == loss_scale;
  if (!alone) state.reducer.settle_residuals(result.updated, state.scaler->scale() / loss_scale);
  if (result.updated && tokens > 0) {
    const double clip = clip_factor(result.gradient_norm, state.config.optimizer.clip_norm);
    state.optimizer->step(state.model->weights(), state.model->gradients(), result.rate, scale * clip);
    phases.enter(Phase::kExchange);
    state.reducer.share_weights(state.model->weights());
    phases.enter(Phase::kUpdate);
    if (!alone) state.average.update(state.model->weights().values(), state.step + 1);
  }
  take_times(phases, state, result.times);
  return result;
}

}  // namespace verbund
