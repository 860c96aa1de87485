// SPDX-License-Identifier: Apache-2.0
// OuterStep joins workers that train on their own (DiLoCo, workers.sync_every). In a round, each worker takes steps
// with its own weights and its own optimiser. At the end of the round the workers meet: the mean of
//
//   outer weights - the worker's weights
//
// over all workers, weighted by the target tokens that each has seen, is the gradient of one outer step with Nesterov
// momentum, and its result is what all of them continue with. Between two rounds the model has the outer weights, so
// evaluating and saving need not know of rounds.
//
// With workers.sync_delay, the workers send that many steps before they meet, and continue training meanwhile. What a
// worker has changed since it sent is added to the new outer weights when the next round begins.
#pragma once

#include <chrono>
#include <span>
#include <vector>

#include "collectives/gradient_reducer.h"
#include "device/cpu_device.h"
#include "optim/outer_optimizer.h"

namespace verbund {

class OuterStep {
 public:
  // For this number of weights.
  OuterStep(size_t size, const WorkersConfig& config);

  // The buffer whose sum over all workers is the outer gradient: a reducer must be made for it.
  Buffer& changes() { return changes_; }

  // Before a step: if a round begins with it, the model's weights become this worker's own.
  void begin_step(Weights& weights);
  // After it: the target tokens that this worker and that all workers have seen in it.
  void count_tokens(int64_t own, int64_t all);

  // Starts the exchange. `meets`: the workers meet now, without further steps.
  void send(const Weights& weights, GradientReducer& reducer, std::chrono::steady_clock::time_point began, bool meets);
  bool is_sent() const { return is_sent_; }
  // Waits for the exchange; false: the outer gradient is not finite.
  bool receive(GradientReducer& reducer);
  // Ends the round: the model gets the new outer weights, which are the same on all workers.
  void update(Weights& weights);

  // Forgets the round, because the weights are replaced.
  void restart();

  // Target tokens since the weights were sent last, which is when their changes begin to count.
  struct Tokens {
    int64_t own = 0, all = 0;
  };

  // For checkpoints, between two rounds: the outer momentum; and the change of this worker's weights since they were
  // sent, with its token count (empty without sync_delay).
  std::span<float> momentum() { return optimizer_.momentum(); }
  std::vector<float>& ahead() { return ahead_; }
  Tokens& tokens() { return tokens_; }

 private:
  CpuDevice host_;  // exchanging and adding are the host's work, whatever the model runs on
  Buffer changes_;
  OuterOptimizer optimizer_;
  std::vector<float> outer_;  // the outer weights, in a round
  std::vector<float> sent_;   // the weights that were sent, if training went on after that
  std::vector<float> ahead_;
  Tokens tokens_;
  bool in_round_ = false, is_sent_ = false;
};

}  // namespace verbund
