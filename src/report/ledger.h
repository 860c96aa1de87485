// SPDX-License-Identifier: Apache-2.0
// Ledger assigns every second of a run, as seen by worker 0, to one use of time.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "report/run_data.h"

namespace verbund {

enum class TimeUse {
  kCompute,      // forward and backward
  kData,         // waiting for a batch
  kExchange,     // waiting for the exchange itself
  kSlowest,      // waiting until the straggler was ready to exchange
  kUpdate,       // norm, clipping, optimiser
  kBookkeeping,  // around and between steps: log, metrics, the record
  kEvaluation,
  kSaving,       // while training waited
  kStarting,     // from the start of the program to its first step
  kLost,         // computed again, because the run died before it was saved
  kDown,         // between a death and the next start
  kTraining,     // steps without further detail: of an imported run, or of an older program
  kUnaccounted,  // the rest
};
inline constexpr size_t kTimeUses = 13;
const char* time_use_name(TimeUse use);     // "waiting for the slowest worker"
const char* time_use_meaning(TimeUse use);  // "the straggler was still computing"

using TimeParts = std::array<double, kTimeUses>;  // seconds, by TimeUse

struct RankTime {
  int rank = 0;
  std::string host;
  TimeParts parts = {};  // of its steps alone: compute, data, exchange, slowest, update, lost
};

struct Ledger {
  double wall = kNotKnown;  // seconds from the first start to the last sign of life, without not_running
  double not_running =
      0;  // seconds between an end that was wanted (finished, or stopped by a signal) and the next start
  double began = kNotKnown, ended = kNotKnown;
  bool estimated = false;  // wall is the sum of logged step times, because no clock is known
  TimeParts parts = {};    // add up to wall
  std::vector<RankTime> ranks;
  int64_t steps = 0, lost_steps = 0;

  double part(TimeUse use) const { return parts[static_cast<size_t>(use)]; }
};

Ledger make_ledger(const RunData& run);

}  // namespace verbund
