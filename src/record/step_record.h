// One step of one worker, as it lies in steps/rank-N.bin: a header of 16 bytes ("VBsteps\n", version, size of a
// record), then records as they came, never rewritten. See docs/formats.md.
#pragma once

#include <cstdint>
#include <type_traits>

namespace verbund {

struct StepRecord {
  int64_t step = 0;     // steps done, this one included
  double began = 0;     // seconds since 1970 on the clock of worker 0
  float seconds = 0;    // all of the step
  float waited = 0;     // for data
  float compute = 0;    // forward and backward, up to where it could exchange all
  float exposed = 0;    // waiting for the exchange
  float update = 0;     //
  float exchange = 0;   // the thread of communication was busy, hidden or not
  uint64_t bytes = 0;   // sent
  uint32_t tokens = 0;  // target tokens of this worker
  float loss = 0;       // their mean
  uint32_t start = 0;   // which start of the run made it, from 0 (run.json counts them)
  uint32_t flags = 0;   // StepFlag
};
static_assert(sizeof(StepRecord) == 64 && std::is_trivially_copyable_v<StepRecord>);

enum StepFlag : uint32_t {
  kTuningBuckets = 1,  // the size of gradient buckets was still being tried
  kNotUpdated = 2,     // the gradient was not finite
};

}  // namespace verbund
