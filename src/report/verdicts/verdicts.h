// The questions that a run raises, each answered by a function of its own from what is on record.
#pragma once

#include "report/ledger.h"
#include "report/run_data.h"
#include "report/verdict.h"

namespace verbund {

// Where a run fell apart; nothing if it did not.
struct Divergence {
  int64_t step = 0;           // the first that was seen
  int64_t not_a_number = -1;  // the step from which on the loss is none; -1: it is one to the end
  std::string what;           // "the training loss is not a number"
  double seconds_after = 0;   // that the run went on; NaN: not known
  int64_t steps_after = 0;
};
std::optional<Divergence> find_divergence(const RunData& run, const Ledger& ledger);
Verdict diverged(const RunData& run, const Divergence& divergence);

Verdict how_long(const RunData& run, const Ledger& ledger);
Verdict fully_trained(const RunData& run, const Ledger& ledger);
Verdict overfitting(const RunData& run, const Ledger& ledger);
Verdict processors(const RunData& run, const Ledger& ledger);
Verdict network(const RunData& run);
Verdict learning_rate(const RunData& run);
Verdict training_set(const RunData& run);
Verdict checkpoint_files(const RunData& run);
Verdict checkpoint_size(const RunData& run);
Verdict step_time(const RunData& run);
Verdict traffic(const RunData& run);

}  // namespace verbund
