// A worker's way to the run's record, which worker 0 keeps: where messages go, and what time it is there.
#pragma once

#include <cstdint>
#include <functional>

#include "control/clock_estimator.h"
#include "control/worker.h"
#include "record/record_message.h"

namespace verbund {

class Workers;

struct RecordPost {
  Worker self;
  uint32_t start = 0;                                        // which start of the run this is, from 0
  std::function<void(std::vector<std::byte> message)> send;  // by any thread; never waits
  std::function<double()> now;                               // seconds since 1970 on the clock of worker 0
  std::function<ClockOffset()> clock;                        // how far the own one is from it

  void post(const RecordMessage& message) const { send(encode(message)); }
};

// Over the control channel. The workers must outlive it.
RecordPost record_post(Workers& workers, uint32_t start);

}  // namespace verbund
