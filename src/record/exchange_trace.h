// SPDX-License-Identifier: Apache-2.0
// Writer and reader of exchange.jsonl: the exchange of the gradient buckets of one worker in some steps. See
// docs/formats.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "record/run_observer.h"

namespace verbund {

struct ExchangeTrace {
  int64_t step = 0;
  uint32_t start = 0;
  int rank = 0;
  double began = 0;  // seconds since 1970 on the clock of worker 0
  double compute = 0, exposed = 0, seconds = 0;
  std::vector<BucketTimes> buckets;
};

// Every tenth of the first 1000 steps is traced, later every hundredth; none while the bucket size is being tuned.
bool is_traced(int64_t step, const StepTimes& times);

std::string to_json_line(const ExchangeTrace& trace);

struct ExchangeTraces {
  std::vector<ExchangeTrace> traces;  // in the order of the file
  size_t damaged = 0;                 // lines without a trace; an incomplete last line is not counted
};

// Empty if there is no such file.
ExchangeTraces read_exchange(const std::filesystem::path& path);

}  // namespace verbund
