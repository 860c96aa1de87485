// The dev loss over the steps, as two questions look at it.
#pragma once

#include <string>
#include <vector>

#include "report/run_data.h"

namespace verbund {

struct DevCurve {
  std::string key;                 // "dev_cross_entropy", or "dev_loss" where that is all there is
  std::vector<double> step, loss;  // evaluations with a finite loss, step 0 left out
  std::vector<double> bleu;        // NaN where there is none

  size_t lowest() const;  // its index; the curve has a point
};

DevCurve dev_curve(const RunData& run);

// Where the learning rate has risen to its peak, by the configuration, else by what was logged; 0 if nothing tells.
double warmup_end(const RunData& run);

// Passes over the training pairs, with a fraction; NaN: not known.
double epochs_seen(const RunData& run);

}  // namespace verbund
