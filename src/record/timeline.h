// SPDX-License-Identifier: Apache-2.0
// Timeline writes steps of all workers on one clock as Chrome's trace-event JSON, for ui.perfetto.dev and
// chrome://tracing: each worker is a process, its steps with their phases are one track, each bucket is another.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "control/worker.h"
#include "record/record_message.h"

namespace verbund {

class Timeline {
 public:
  // Spans that are not finite, or that end before they begin, are left out.
  void add(int rank, const StepTrace& trace);
  void add(int rank, const TimelineSpan& span);

  bool empty() const { return tracks_.empty(); }
  // Workers without a span are left out.
  std::string json(const std::vector<Worker>& workers) const;

 private:
  using Nanoseconds = int64_t;

  struct Span {
    std::string name;
    Nanoseconds begin = 0, end = 0;
    std::string args;  // JSON, or ""
    std::vector<Span> parts = {};
  };
  struct Track {
    int rank = 0, number = 0;  // 0: steps; from 1 on: buckets
    auto operator<=>(const Track&) const = default;
  };

  void add(Track track, Span span);
  static std::vector<Span> side_by_side(std::vector<Span> spans);
  static void write(std::string& text, Track track, const Span& span, Nanoseconds origin);

  std::map<Track, std::vector<Span>> tracks_;
};

}  // namespace verbund
