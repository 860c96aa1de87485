// SPDX-License-Identifier: Apache-2.0
// judge answers the twelve questions about a run, each with a function of its own, from the record. basic_facts
// collects the facts at the head of the page.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "page/verdict.h"
#include "report/ledger.h"
#include "report/run_data.h"

namespace verbund {

struct BestValue {
  std::string metric;  // "dev_bleu"
  double value = kNotKnown;
  int64_t step = 0;
};

// The best evaluation by a metric; its value is NaN if there is none.
BestValue best_of(const RunData& run, const std::string& metric, bool highest);

struct BasicFacts {
  std::string state;   // "finished", "running", "stopped", "killed", "lost", "failed", "diverged", "imported"
  std::string reason;  // of its end, as in run.json
  double began = kNotKnown, ended = kNotKnown, wall = kNotKnown;  // seconds
  int64_t steps = 0;
  double tokens = kNotKnown;    // target tokens trained on, all workers
  std::vector<BestValue> best;  // by each metric that was evaluated
  int workers = 1;
  std::vector<std::string> hosts;
  int starts = 0;
};

BasicFacts basic_facts(const RunData& run, const Ledger& ledger);

// All verdicts, in the order of interest: how_good, fully_trained, overfitting, how_long, learning_rate, processors,
// network, step_time, traffic, training_set, checkpoint_size, checkpoint_files. A run that diverged has one more in
// front, "diverged"; one that was fine-tuned has "fine_tuning" after how_good.
std::vector<Verdict> judge(const RunData& run, const Ledger& ledger);
std::vector<Verdict> judge(const RunData& run);

struct Divergence {
  int64_t step = 0;           // the first step at which it shows
  int64_t not_a_number = -1;  // first step of a loss that stays not a number; -1: it never does
  std::string what;           // "the training loss is not a number"
  double seconds_after = 0;   // for which the run continued; NaN: not known
  int64_t steps_after = 0;
};
std::optional<Divergence> find_divergence(const RunData& run, const Ledger& ledger);
Verdict diverged(const RunData& run, const Divergence& divergence);

Verdict how_good(const RunData& run, const Ledger& ledger);
Verdict fine_tuning(const RunData& run);  // of a run that began with the weights of another one
Verdict fully_trained(const RunData& run, const Ledger& ledger);
Verdict overfitting(const RunData& run, const Ledger& ledger);
Verdict how_long(const RunData& run, const Ledger& ledger);
Verdict learning_rate(const RunData& run);
Verdict processors(const RunData& run, const Ledger& ledger);
Verdict network(const RunData& run);
Verdict step_time(const RunData& run);
Verdict traffic(const RunData& run);
Verdict training_set(const RunData& run);
Verdict checkpoint_size(const RunData& run);
Verdict checkpoint_files(const RunData& run);

}  // namespace verbund
