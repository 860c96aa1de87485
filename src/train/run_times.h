// What a run's wall time goes to.
#pragma once

#include <cstdint>

namespace verbund {

struct Spent {
  double seconds = 0;
  int64_t times = 0;

  double mean() const { return times > 0 ? seconds / static_cast<double>(times) : 0; }
};

// Since this process began; an earlier part of the run counts for itself.
struct RunTimes {
  double starting = 0;    // until the first step
  Spent steps;            // waiting for data included
  double waiting = 0;     // for data
  double first_look = 0;  // the evaluation before the first step, of the loss alone
  Spent evaluations;      // all others
  Spent saves;            // for which the training stood still
};

}  // namespace verbund
