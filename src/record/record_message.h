// What a worker tells worker 0 for the run's record, as bytes on the control channel. Decoding trusts nothing: what is
// not such a message is none.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "resources/resources.h"
#include "record/run_observer.h"
#include "record/step_record.h"

namespace verbund {

struct StepBatch {
  std::vector<StepRecord> records;
};

// One step in detail, for exchange.jsonl or the timeline.
struct StepTrace {
  enum Use : uint8_t { kExchange, kTimeline };
  static constexpr size_t kMostBuckets = 1000;  // a message has an end; a step with more of them is told without

  Use use = kExchange;
  int64_t step = 0;
  uint32_t start = 0;
  double began = 0;  // seconds since 1970 on the clock of worker 0
  StepTimes times;
};

// Something else that took time, for the timeline: an evaluation, a save.
struct TimelineSpan {
  std::string name;
  int64_t step = 0;
  double began = 0, seconds = 0;
};

// This worker has told all of the timeline's steps.
struct TimelineOver {};

// An event of this worker alone, for the history.
struct OwnEvent {
  double at = 0;
  RunEvent event;  // without what the log says of it
};

using RecordMessage =
    std::variant<StepBatch, ResourceHeader, ResourceRow, StepTrace, TimelineSpan, TimelineOver, OwnEvent>;

std::vector<std::byte> encode(const RecordMessage& message);
std::optional<RecordMessage> decode(std::span<const std::byte> bytes);

}  // namespace verbund
