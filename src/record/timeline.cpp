// SPDX-License-Identifier: Apache-2.0
#include "record/timeline.h"

#include <algorithm>
#include <cmath>

#include "core/json.h"

namespace verbund {
namespace {

// A sane time: between 1970 and 2200.
constexpr double kLatest = 7.3e9;

bool is_span(double began, double seconds) {
  return began >= 0 && began < kLatest && seconds >= 0 && seconds < kLatest;  // false for NaN
}

int64_t nanoseconds(double seconds) {
  const double whole = std::floor(seconds);  // the product would be too large to be exact
  return static_cast<int64_t>(whole) * 1000000000 + std::llround((seconds - whole) * 1e9);
}

std::string quoted(const std::string& text) { return Json(text).dump(-1, ' ', true, Json::error_handler_t::replace); }

// A trace counts in microseconds; three decimals hold all of it.
std::string microseconds(int64_t time) { return fmt::format("{}.{:03}", time / 1000, time % 1000); }

void write_name(std::string& text, const char* what, int rank, int track, const std::string& name) {
  text += fmt::format("{{\"name\":\"{}\",\"ph\":\"M\",\"pid\":{},\"tid\":{},\"args\":{{\"name\":{}}}}},\n", what, rank,
                      track, quoted(name));
}

void write_order(std::string& text, const char* what, int rank, int track) {
  text += fmt::format("{{\"name\":\"{}\",\"ph\":\"M\",\"pid\":{},\"tid\":{},\"args\":{{\"sort_index\":{}}}}},\n", what,
                      rank, track, track == 0 ? rank : track);
}

}  // namespace

void Timeline::add(int rank, const StepTrace& trace) {
  const StepTimes& times = trace.times;
  if (!is_span(trace.began, times.seconds)) return;
  const Nanoseconds begin = nanoseconds(trace.began);
  const auto at = [&](double seconds) { return begin + nanoseconds(std::clamp(seconds, 0.0, times.seconds)); };
  Span step = {fmt::format("step {}", trace.step), begin, at(times.seconds),
               fmt::format("{{\"step\":{}}}", trace.step)};
  const auto add_part = [&](const char* name, double from, double to) {
    if (to > from) step.parts.push_back({name, at(from), at(to), ""});
  };
  const double computed = times.waited + times.compute, exchanged = computed + times.exposed;
  add_part("data", 0, times.waited);
  if (times.backward > times.waited && times.backward < computed) {
    add_part("forward", times.waited, times.backward);
    add_part("backward", times.backward, computed);
  } else {
    add_part("forward and backward", times.waited, computed);
  }
  add_part("waiting for the exchange", computed, exchanged);
  add_part("update", exchanged, exchanged + times.update);
  add(Track{rank, 0}, std::move(step));
  for (size_t i = 0; i < times.buckets.size(); ++i) {
    const BucketTimes& bucket = times.buckets[i];
    if (!is_span(bucket.begin, bucket.end - bucket.begin)) continue;
    const Nanoseconds sent = begin + nanoseconds(bucket.begin), done = begin + nanoseconds(bucket.end);
    add(Track{rank, static_cast<int>(i) + 1},
        {fmt::format("exchange of bucket {}", i), sent, done,
         fmt::format("{{\"step\":{},\"bytes\":{},\"waited_ms\":{:.3f}}}", trace.step, bucket.bytes,
                     is_span(bucket.ready, bucket.begin - bucket.ready) ? 1e3 * (bucket.begin - bucket.ready) : 0)});
  }
}

void Timeline::add(int rank, const TimelineSpan& span) {
  if (!is_span(span.began, span.seconds)) return;
  const Nanoseconds begin = nanoseconds(span.began);
  add(Track{rank, 0}, {span.name, begin, begin + nanoseconds(span.seconds), fmt::format("{{\"step\":{}}}", span.step)});
}

void Timeline::add(Track track, Span span) { tracks_[track].push_back(std::move(span)); }

// The spans of a track follow each other, but after a correction of the clock one may begin before the end of the
// previous one: that one is cut there, with its parts. Viewers draw nonsense otherwise.
std::vector<Timeline::Span> Timeline::side_by_side(std::vector<Span> spans) {
  std::stable_sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.begin < b.begin; });
  for (size_t i = 0; i < spans.size(); ++i) {
    Span& span = spans[i];
    if (i + 1 < spans.size()) span.end = std::min(span.end, spans[i + 1].begin);
    Nanoseconds free = span.begin;
    for (Span& part : span.parts) {
      part.begin = std::clamp(part.begin, free, std::max(free, span.end));
      part.end = free = std::clamp(part.end, part.begin, std::max(part.begin, span.end));
    }
  }
  return spans;
}

void Timeline::write(std::string& text, Track track, const Span& span, Nanoseconds origin) {
  text += fmt::format("{{\"name\":{},\"ph\":\"X\",\"ts\":{},\"dur\":{},\"pid\":{},\"tid\":{}", quoted(span.name),
                      microseconds(span.begin - origin), microseconds(span.end - span.begin), track.rank, track.number);
  text += span.args.empty() ? "},\n" : fmt::format(",\"args\":{}}},\n", span.args);
  for (const Span& part : span.parts) write(text, track, part, origin);
}

std::string Timeline::json(const std::vector<Worker>& workers) const {
  Nanoseconds origin = INT64_MAX;
  for (const auto& [track, spans] : tracks_) {
    for (const Span& span : spans) origin = std::min(origin, span.begin);
  }
  if (tracks_.empty()) origin = 0;
  std::string text =
      fmt::format("{{\"displayTimeUnit\":\"ms\",\n\"otherData\":{{\"began\":\"{:.6f}\"}},\n\"traceEvents\":[\n",
                  static_cast<double>(origin) / 1e9);
  for (const auto& [track, spans] : tracks_) {
    if (track.number == 0) {
      const auto rank = static_cast<size_t>(track.rank);
      const std::string host = rank < workers.size() ? workers[rank].host : "";
      write_name(text, "process_name", track.rank, 0, fmt::format("rank {} on {}", track.rank, host));
      write_order(text, "process_sort_index", track.rank, 0);
      write_name(text, "thread_name", track.rank, 0, "steps");
    } else {
      write_name(text, "thread_name", track.rank, track.number, fmt::format("bucket {}", track.number - 1));
    }
    write_order(text, "thread_sort_index", track.rank, track.number);
    for (const Span& span : side_by_side(spans)) write(text, track, span, origin);
  }
  if (text.ends_with(",\n")) text.resize(text.size() - 2);  // no comma after the last element
  return text + "\n]}\n";
}

}  // namespace verbund
