#include "train/step.h"

#include <cmath>
#include <csignal>

#include "core/elapsed.h"
#include "core/interrupt.h"
#include "optim/clip.h"
#include "train/phases.h"

namespace verbund {
namespace {

// The loss of all workers, and whether one of them was asked to stop.
void sum_over_workers(Workers& workers, StepResult& result) {
  Loss& loss = result.loss;
  loss = result.own;
  const int signal = pending_interrupt();
  double sums[] = {loss.smoothed,
                   loss.cross_entropy,
                   static_cast<double>(loss.tokens),
                   static_cast<double>(loss.correct),
                   signal == SIGINT ? 1.0 : 0.0,
                   signal == SIGHUP ? 1.0 : 0.0,
                   signal != 0 ? 1.0 : 0.0};
  workers.comm().sum(sums);
  loss = {sums[0], sums[1], static_cast<int64_t>(sums[2]), static_cast<int64_t>(sums[3])};
  result.stop_signal = sums[4] > 0 ? SIGINT : sums[5] > 0 ? SIGHUP : sums[6] > 0 ? SIGTERM : 0;
}

// Of the whole gradient, of which each worker may have a share.
GradientSize measure_gradient(StepParts& parts) {
  const GradientSize own = measure(parts.model.gradients(), parts.optimizer.active());
  if (!parts.reducer.is_sharded()) return own;
  double squares = own.norm * own.norm;
  parts.workers.comm().sum({&squares, 1});
  const double largest = parts.workers.comm().max(own.largest);
  return {std::sqrt(squares), std::isfinite(squares) ? largest : squares};
}

void take_times(Phases& phases, const GradientReducer& reducer, StepTimes& times) {
  phases.end();
  times.compute = phases.seconds(Phase::kCompute);
  times.exposed = phases.seconds(Phase::kExchange);
  times.update = phases.seconds(Phase::kUpdate);
  times.exchange = reducer.times().busy;
  times.bytes = reducer.times().bytes;
  times.tuning = reducer.is_tuning();
  times.buckets.assign(reducer.buckets().begin(), reducer.buckets().end());
}

}  // namespace

double mean_loss(StepParts& parts, const WorkerBatch& batch) {
  double sum = 0;
  for (const Batch& part : batch.micro_batches()) sum += parts.model.evaluate(part).smoothed;
  parts.workers.comm().sum({&sum, 1});
  return sum / static_cast<double>(batch.global_target_tokens());
}

StepResult train_step(StepParts& parts, const WorkerBatch& batch, int64_t step,
                      std::chrono::steady_clock::time_point began) {
  const double loss_scale = parts.scaler.scale();
  const Pass pass = {static_cast<uint64_t>(parts.config.seed), static_cast<uint64_t>(step), true,
                     static_cast<float>(loss_scale)};
  StepResult result;
  Phases phases(parts.workers, step);
  parts.model.gradients().zero();
  parts.reducer.begin(began);
  for (const Batch& part : batch.micro_batches()) {
    const bool last = &part == &batch.micro_batches().back();
    GradientReady ready = parts.reducer.listener(last);  // gradients leave while backward goes on
    ready.backward_begins = [&] { result.times.backward = seconds_since(began); };
    result.own += parts.model.accumulate(part, pass, ready);
  }
  phases.enter(Phase::kExchange);
  parts.reducer.finish();
  sum_over_workers(parts.workers, result);

  // The gradient is a sum over tokens; dividing by all of them is part of the update.
  phases.enter(Phase::kUpdate);
  const double scale = 1.0 / (static_cast<double>(batch.global_target_tokens()) * loss_scale);
  const GradientSize size = measure_gradient(parts);
  result.gradient_norm = size.norm * scale;
  result.rate = parts.schedule.rate(step) * parts.rate_factor;
  result.updated = parts.scaler.update(size.largest / loss_scale);
  result.trouble = !result.updated && parts.scaler.scale() == loss_scale;
  parts.reducer.settle_residuals(result.updated, parts.scaler.scale() / loss_scale);
  if (result.updated) {
    const double clip = clip_factor(result.gradient_norm, parts.config.optimizer.clip_norm);
    parts.optimizer.step(parts.model.weights(), parts.model.gradients(), result.rate, scale * clip);
    phases.enter(Phase::kExchange);
    parts.reducer.share_weights(parts.model.weights());
    phases.enter(Phase::kUpdate);
    parts.average.update(parts.model.weights().values(), step);
  }
  take_times(phases, parts.reducer, result.times);
  return result;
}

}  // namespace verbund
