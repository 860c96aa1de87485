// SPDX-License-Identifier: Apache-2.0
// RecordMessage is a worker's message to worker 0 for the record of the run; RecordPost sends it over the control
// channel. The decoder trusts nothing and rejects malformed bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "control/clock_estimator.h"
#include "control/worker.h"
#include "record/run_observer.h"
#include "record/step_records.h"
#include "resources/resources.h"

namespace verbund {

class Workers;

struct StepBatch {
  std::vector<StepRecord> records;
};

// One step in detail, for exchange.jsonl or the timeline.
struct StepTrace {
  enum Use : uint8_t { kExchange, kTimeline };
  static constexpr size_t kMaxBuckets =
      1000;  // the size of a message is limited: a step with more buckets is sent without them

  Use use = kExchange;
  int64_t step = 0;
  uint32_t start = 0;
  double began = 0;  // seconds since 1970 on the clock of worker 0
  StepTimes times;
};

// Another activity for the timeline: an evaluation, a save.
struct TimelineSpan {
  std::string name;
  int64_t step = 0;
  double began = 0, seconds = 0;
};

// This worker has sent all steps of the timeline.
struct TimelineOver {};

// An event of this worker alone, for the history.
struct OwnEvent {
  double at = 0;
  RunEvent event;  // without its text for the log
};

using RecordMessage =
    std::variant<StepBatch, ResourceHeader, ResourceRow, StepTrace, TimelineSpan, TimelineOver, OwnEvent>;

std::vector<std::byte> encode(const RecordMessage& message);
std::optional<RecordMessage> decode(std::span<const std::byte> bytes);

// A worker's connection to the record of the run, which worker 0 keeps.
struct RecordPost {
  Worker self;
  uint32_t start = 0;                                        // number of this start of the run, from 0
  std::function<void(std::vector<std::byte> message)> send;  // any thread may call it; never blocks
  std::function<double()> now;                               // seconds since 1970 on the clock of worker 0
  std::function<ClockOffset()> clock;                        // the offset of the own clock from it

  void post(const RecordMessage& message) const { send(encode(message)); }
};

// Over the control channel. The workers must outlive it.
RecordPost record_post(Workers& workers, uint32_t start);

}  // namespace verbund
