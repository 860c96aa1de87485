// All that a report says of one run before it is drawn: the facts of its head, and the eleven verdicts.
#pragma once

#include <string>
#include <vector>

#include "report/ledger.h"
#include "report/run_data.h"
#include "report/verdict.h"

namespace verbund {

struct BestValue {
  std::string metric;  // "dev_bleu"
  double value = kNotKnown;
  int64_t step = 0;
};

struct BasicFacts {
  std::string state;   // "finished", "running", "stopped", "killed", "failed", "diverged", "imported"
  std::string reason;  // of its end, as run.json has it
  double began = kNotKnown, ended = kNotKnown, wall = kNotKnown;  // seconds
  int64_t steps = 0;
  double tokens = kNotKnown;  // target tokens trained on, all workers
  double epochs = kNotKnown;
  std::vector<BestValue> best;  // by each metric there is: dev_bleu, dev_chrf, dev_cross_entropy, dev_loss
  int workers = 1;
  std::vector<std::string> hosts;
  int starts = 0;
};

BasicFacts basic_facts(const RunData& run, const Ledger& ledger);

// In the order of the questions: how_long, fully_trained, overfitting, processors, network, learning_rate,
// training_set, checkpoint_files, checkpoint_size, step_time, traffic. A run that diverged has one more in front:
// "diverged".
std::vector<Verdict> judge(const RunData& run, const Ledger& ledger);
std::vector<Verdict> judge(const RunData& run);

}  // namespace verbund
