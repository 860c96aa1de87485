#include "import/evaluation_step.h"

#include <algorithm>

namespace verbund {

EvaluationStep find_evaluation_step(const PrintedAround& printed) {
  const bool began_again = printed.before && printed.after && *printed.after < *printed.before;
  if (!printed.before && printed.after == 0) return {0, true};
  const int64_t apart = std::max<int64_t>(printed.print_every.value_or(0), 0);
  // The steps it may have been made at.
  const int64_t low = printed.before ? *printed.before : std::max<int64_t>(printed.after.value_or(0) - apart, 0);
  const int64_t high = printed.after && !began_again ? *printed.after : low + apart;
  if (printed.last && *printed.last >= low && *printed.last <= high && !printed.after) return {*printed.last, true};
  if (printed.eval_every && *printed.eval_every > 0) {
    const int64_t step = high / *printed.eval_every * *printed.eval_every;
    if (step >= low) return {step, true};
  }
  return {low, low == high};
}

}  // namespace verbund
