// SPDX-License-Identifier: Apache-2.0
#include "plan/simulated_step.h"

#include <algorithm>

#include "collectives/bucket_plan.h"

namespace verbund {
namespace {

// The queue of the exchange, which sends one message at a time.
class Queue {
 public:
  Queue(const ExchangeLayout& layout, const ExchangeRates& rates) : layout_(&layout), rates_(&rates) {}

  void leave(double ready, const GradientMessage& message) {
    const MessageTime time = time_of(message, *layout_, *rates_);
    end_ = std::max(end_, ready) + time.seconds;
    sent_.push_back({end_, time});
  }

  double end() const { return end_; }
  int messages() const { return static_cast<int>(sent_.size()); }

  // Sum over the messages that ended before this time.
  MessageTime until(double moment) const {
    MessageTime sum;
    for (const auto& [end, time] : sent_) {
      if (end > moment) continue;
      sum.seconds += time.seconds;
      sum.latency += time.latency;
      sum.sent_bytes += time.sent_bytes;
      sum.local_bytes += time.local_bytes;
    }
    return sum;
  }
  MessageTime all() const { return until(end_); }

 private:
  const ExchangeLayout* layout_;
  const ExchangeRates* rates_;
  double end_ = 0;
  std::vector<std::pair<double, MessageTime>> sent_;
};

GradientMessage rows_of(const StepToSimulate& step, size_t lookup) {
  const Lookup& table = step.order.lookups[lookup];
  GradientMessage message;
  message.rows = step.distinct_tokens.at(lookup);
  message.row_values = static_cast<double>(table.width);
  message.table_rows = static_cast<double>(table.place.size()) / message.row_values;
  message.value_bytes = step.row_value_bytes;
  return message;
}

GradientMessage bucket_of(const StepToSimulate& step, Interval values) {
  GradientMessage message;
  message.values = static_cast<double>(values.size());
  message.value_bytes = step.value_bytes;
  if (step.sharded) message.collective = Collective::kReduceScatter;
  return message;
}

// Simulates the stages, backward ones slowed down by `slower`; returns the end of the last one.
double play(const StepToSimulate& step, const ComputeRates& compute, size_t bucket, double slower, Queue& queue) {
  BucketPlan plan(step.order, bucket);
  double now = step.before;
  const auto send_ready = [&] {
    while (const Transfer* next = plan.take_next()) {
      queue.leave(now, next->rows ? rows_of(step, *next->rows) : bucket_of(step, next->values));
    }
  };
  for (const WorkStage& stage : step.stages) {
    now += seconds_of(stage, compute) * (stage.backward ? slower : 1);
    plan.mark_ready(stage.ready);
    if (stage.rows) plan.mark_rows_ready(*stage.rows);
    send_ready();
  }
  plan.mark_all_ready();
  send_ready();
  return now;
}

// Bytes per weight that the host moves when workers meet: changes, finiteness, outer update, new weights.
constexpr double kOuterBytesPerWeight = 48;

// Adds the exchanges of the rounds, spread over the steps. One begins when `sync_delay` steps of its round are left,
// which hide it; the last round may be cut short by the end of the training.
SimulatedStep with_rounds(SimulatedStep alone, const StepToSimulate& step, const ExchangeLayout& layout,
                          const ComputeRates& compute, const ExchangeRates& exchange, size_t bucket_values) {
  Queue queue(layout, exchange);
  for (size_t begin = 0; begin < step.order.size; begin += bucket_values) {
    queue.leave(0, bucket_of(step, {begin, std::min(step.order.size, begin + bucket_values)}));
  }
  const int64_t all_steps = step.steps > 0 ? step.steps : step.sync_every;
  const int64_t whole = all_steps / step.sync_every, rest = all_steps % step.sync_every;
  const auto steps = static_cast<double>(all_steps);
  const MessageTime all = queue.all();
  const auto exposed = [&](int64_t hiding) {
    return std::max(0.0, all.seconds - static_cast<double>(hiding) * alone.seconds);
  };
  alone.exchanges = static_cast<double>(whole + (rest > 0 ? 1 : 0)) / steps;
  alone.buckets = queue.messages();
  alone.exchange = all.seconds * alone.exchanges;
  alone.latency = all.latency * alone.exchanges;
  alone.sent_bytes = all.sent_bytes * alone.exchanges;
  alone.exposed = static_cast<double>(whole) * exposed(step.sync_delay) / steps;
  if (rest > 0) alone.exposed += exposed(std::max<int64_t>(0, rest - (step.sync_every - step.sync_delay))) / steps;
  const double host_memory = compute.gpu ? kHostMemory : compute.update_bytes;
  const double outer = kOuterBytesPerWeight * step.weights / host_memory * alone.exchanges;
  alone.update += outer;
  alone.seconds += alone.exposed + outer;
  return alone;
}

// Adds the sum of the step's few numbers, which nothing hides.
void add_sum(SimulatedStep& step, const MessageTime& time) {
  step.sum = time.seconds;
  step.exchange += time.seconds;
  step.exposed += time.seconds;
  step.latency += time.latency;
}

}  // namespace

SimulatedStep simulate_step(const StepToSimulate& step, const ExchangeLayout& layout, const ComputeRates& compute,
                            const ExchangeRates& exchange, size_t bucket_values) {
  SimulatedStep result;
  result.update = kUpdateBytesPerWeight * step.weights / compute.update_bytes;
  result.compute = step.before + seconds_of(step.stages, compute);
  result.seconds = result.compute + result.update + compute.rest;
  if (layout.workers == 1) return result;
  if (step.sync_every > 1) return with_rounds(result, step, layout, compute, exchange, bucket_values);

  Queue queue(layout, exchange);
  result.compute = play(step, compute, bucket_values, 1, queue);
  if (!compute.gpu) {
    // The concurrent exchange takes time from the computing cores.
    const MessageTime hidden = queue.until(result.compute);
    const double taken = (hidden.sent_bytes * exchange.core_seconds_per_byte / layout.max_workers_per_host +
                          hidden.local_bytes * exchange.core_seconds_per_local_byte) /
                         compute.threads;
    double backward = 0;
    for (const WorkStage& stage : step.stages) backward += stage.backward ? seconds_of(stage, compute) : 0;
    Queue again(layout, exchange);
    result.compute = play(step, compute, bucket_values, backward > 0 ? 1 + taken / backward : 1, again);
    queue = again;
  }
  const MessageTime all = queue.all();
  result.buckets = queue.messages();
  result.exchange = all.seconds;
  result.latency = all.latency;
  result.sent_bytes = all.sent_bytes;
  result.exposed = std::max(0.0, queue.end() - result.compute);
  if (step.sharded) {
    result.update /= layout.workers;
    GradientMessage weights;
    weights.values = static_cast<double>(step.order.size);
    weights.collective = Collective::kAllGather;  // in fp32
    const MessageTime back = time_of(weights, layout, exchange);
    result.exchange += back.seconds;
    result.exposed += back.seconds;
    result.latency += back.latency;
    result.sent_bytes += back.sent_bytes;
  }
  add_sum(result, time_of_sum(layout, exchange));
  result.seconds = result.compute + result.exposed + result.update + compute.rest;
  return result;
}

}  // namespace verbund
