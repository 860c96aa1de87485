// What must be saved so that a resumed run makes the same bits as one that never stopped:
// weights, optimiser and average as tensors, the rest as JSON.
#pragma once

#include <string>

#include "checkpoint/checkpoint_reader.h"
#include "checkpoint/checkpoint_writer.h"
#include "data/batch_plan.h"
#include "train/best_tracker.h"
#include "train/divergence_guard.h"
#include "train/step.h"

namespace verbund {

// What a run remembers beside its tensors.
struct RunState {
  int64_t step = 0;  // steps done
  BatchPosition position;
  double training_seconds = 0;
  int64_t target_tokens = 0;
  int64_t roll_backs = 0;
  int64_t last_evaluation = -1;                      // the step of it
  std::string dataset;                               // the checksum of what is trained on
  std::string source_vocabulary, target_vocabulary;  // checksums, too
  CheckpointOrigin origin;                           // worker 0's
};

// Where a snapshot's tensors lie that no worker has whole in the host's memory.
using CollectedState = std::vector<std::vector<float>>;

// By all workers together: all get worker 0's values.
void broadcast(Workers& workers, Buffer& buffer);

// By all workers together; worker 0's is whole. It looks at the parts' buffers and at `collected`,
// and is to be saved before they change.
CheckpointSnapshot take_snapshot(const StepParts& parts, const DivergenceGuard& guard, const BestTracker& best,
                                 const RunState& state, const std::string& config_yaml, CollectedState& collected);

// "the optimiser's state was adam.m, adam.v, is now sgd.momentum: it starts anew": what of a checkpoint an optimiser or
// a loss scaler of another kind cannot use.
std::vector<std::string> what_starts_anew(const Checkpoint& checkpoint, const StepParts& parts);

// By all workers together: worker 0 has read the checkpoint, the others give null. What does not fit starts anew.
void restore(const Checkpoint* checkpoint, StepParts& parts, DivergenceGuard& guard, BestTracker& best,
             RunState& state);

// Takes over parameters of the same name and shape from another model; says how many.
void start_from(const std::string& path, TranslationModel& model);

}  // namespace verbund
