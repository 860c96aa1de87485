// When a worker's clock is worth a note in the history: as soon as it is known, and whenever what is known now and what
// was noted last do not agree.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "control/clock_estimator.h"

namespace verbund {

class ClockNotes {
 public:
  bool is_news(const ClockOffset& now) {
    if (!std::isfinite(now.offset) || !std::isfinite(now.bound)) return false;
    if (noted_ && std::abs(now.offset - noted_->offset) <= std::max(now.bound, noted_->bound)) return false;
    noted_ = now;
    return true;
  }

 private:
  std::optional<ClockOffset> noted_;
};

}  // namespace verbund
