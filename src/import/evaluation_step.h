// OpenSeq2Seq's log does not say at which step an evaluation was made: it follows from the steps printed around it.
#pragma once

#include <cstdint>
#include <optional>

namespace verbund {

struct PrintedAround {
  std::optional<int64_t> before, after;  // steps printed before and after the evaluation
  std::optional<int64_t> eval_every;     // eval_steps of the configuration
  std::optional<int64_t> print_every;    // print_loss_steps
  std::optional<int64_t> last;           // max_steps
};

struct EvaluationStep {
  int64_t step = 0;
  bool certain = true;  // false: no step between the two fits the configuration, or that is not known
};

// An evaluation stands in the log before the line of its own step.
EvaluationStep find_evaluation_step(const PrintedAround& printed);

}  // namespace verbund
