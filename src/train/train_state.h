// SPDX-License-Identifier: Apache-2.0
// TrainState owns everything that training changes and a checkpoint saves: the model, the optimiser, the averaged
// weights, the loss scale, the residuals of the exchange, the outer step, and the position in the run. A run that is
// restored from a checkpoint computes the same bits as one that never stopped.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "checkpoint/checkpoint_reader.h"
#include "checkpoint/checkpoint_writer.h"
#include "collectives/gradient_reducer.h"
#include "config/config.h"
#include "core/json.h"
#include "mixture/mixture_progress.h"
#include "model/transformer.h"
#include "optim/ema.h"
#include "optim/loss_scaler.h"
#include "optim/optimizer.h"
#include "optim/schedule.h"
#include "train/best_tracker.h"
#include "train/divergence_guard.h"
#include "train/outer_step.h"

namespace verbund {

inline constexpr const char* kMixtureKey = "mixture";  // of state.json

struct TrainState {
  // Weights are not initialised. `devices`: exchanges gradients; null: the hosts do. All arguments must outlive this.
  TrainState(const Config& settled, Workers& all, Device& device, DeviceCommunicator* devices,
             VocabularySizes vocabularies, MixtureProgress start = {});

  const Config& config;
  Workers& workers;
  const std::unique_ptr<DecodableModel> model;
  const std::unique_ptr<OuterStep> outer;  // null: the workers exchange gradients in every step
  GradientReducer reducer;                 // of the gradients, or of the changes of the outer step
  const std::unique_ptr<Optimizer> optimizer;
  const Schedule schedule;
  WeightEma average;
  const std::unique_ptr<LossScaler> scaler;
  DivergenceGuard guard;
  BestTracker best;

  int64_t step = 0;        // steps done
  BatchPosition position;  // of the next batch
  MixtureProgress mixture;
  PairCounts drawn;        // of each corpus, when the state is saved
  double rate_factor = 1;  // halved by each roll-back
  double training_seconds = 0;
  int64_t target_tokens = 0;
  int64_t roll_backs = 0;
  int64_t last_evaluation = -1;  // its step

  // Constant, and part of every checkpoint.
  std::string dataset, source_vocabulary, target_vocabulary;  // checksums
  CheckpointOrigin origin;                                    // known to worker 0
};

// The buffers of a snapshot's tensors that no worker has complete in host memory.
using CollectedState = std::vector<std::vector<float>>;

// Collective: all workers get worker 0's values.
void broadcast(Workers& workers, Buffer& buffer);

// Collective; worker 0's snapshot is complete. It refers to the buffers of the state and to `collected`, and must be
// saved before they change.
CheckpointSnapshot take_snapshot(const TrainState& state, const std::string& config_yaml, CollectedState& collected);

// The parts of a checkpoint that an optimiser or a loss scaler of another kind cannot use: "the optimiser's state was
// adam.m, adam.v, is now sgd.momentum: it is reset".
std::vector<std::string> parts_to_reset(const Checkpoint& checkpoint, const TrainState& state);

// Collective: worker 0 passes the values of a buffer of the optimiser, of which each worker gets its shard or all.
void restore_buffer(const TensorView* saved, const OptimizerState& buffer, TrainState& state);

// Collective: worker 0 passes the checkpoint, the others null. Parts that do not fit are reset.
void restore(const Checkpoint* checkpoint, TrainState& state);

// Residuals of the exchange: the rounding errors of gradients that it still has to make up for.

// The workers and hosts of the residuals; empty if there are none. The same on all workers.
std::string residual_layout(const TrainState& state);

// Collective: adds them to the snapshot of worker 0; `collected` holds their values.
void add_residuals(const TrainState& state, CheckpointSnapshot& snapshot, CollectedState& collected);

// Collective: worker 0 passes the checkpoint, whose residuals have the layout `saved` (empty: there are none). With the
// same layout each worker gets its own; with another one the sum of all is distributed; without rounding to int8 they
// are dropped.
void restore_residuals(const Checkpoint* checkpoint, const std::string& saved, TrainState& state);

// The state of the outer step, which is saved between two rounds: its momentum, and what each worker has for itself:
// its optimiser's moments, number of updates and loss scale, and what it is ahead of the outer weights.

// Collective: the numbers of all workers, for state.json; null without an outer step.
Json outer_to_json(const TrainState& state);

// Collective: adds the buffers of all workers to the snapshot of worker 0; `collected` holds their values.
void add_outer(const TrainState& state, CheckpointSnapshot& snapshot, CollectedState& collected);

// Collective: worker 0 passes the checkpoint; `saved` is what outer_to_json has returned (null: there is nothing), and
// `optimizer_fits` whether its moments can be used. The same number of workers get their own state back; any other
// number continues with the mean of the moments.
void restore_outer(const Checkpoint* checkpoint, const Json& saved, bool optimizer_fits, TrainState& state);

}  // namespace verbund
