// SPDX-License-Identifier: Apache-2.0
#include "record/record_keeper.h"

#include <algorithm>

#include "core/error.h"
#include "core/log.h"
#include "record/exchange_trace.h"

namespace verbund {
namespace {

// A channel that is too slow stays slow: one line per loss would be too many.
constexpr double kSecondsBetweenNotes = 10;

fs::path with_folders(fs::path run, const StepWindow& timeline) {
  for (const char* folder : {"steps", "resources"}) make_folder(run / folder);
  if (!timeline.empty()) make_folder(run / "timeline");
  return run;
}

}  // namespace

RecordKeeper::RecordKeeper(fs::path run, RecordPost post, std::vector<Worker> workers, HistoryWriter& history,
                           StepWindow timeline)
    : run_(with_folders(std::move(run), timeline)),
      post_(std::move(post)),
      workers_(std::move(workers)),
      history_(history),
      window_(timeline),
      exchange_(run_ / "exchange.jsonl"),
      ranks_(workers_.size()) {}

void RecordKeeper::receive(int rank, std::span<const std::byte> bytes, uint64_t dropped_before) {
  if (rank < 0 || static_cast<size_t>(rank) >= workers_.size()) return;
  const std::lock_guard lock(mutex_);
  uint64_t& dropped = ranks_[static_cast<size_t>(rank)].dropped;
  dropped += dropped_before;
  try {
    if (const auto message = decode(bytes)) {
      std::visit([&](const auto& content) { keep(rank, content); }, *message);
    } else {
      ++dropped;
    }
  } catch (const std::exception& error) {
    ++dropped;
    warn_once(error.what());
  }
  note_dropped(rank, false);
}

void RecordKeeper::end() {
  const std::lock_guard lock(mutex_);
  for (const Worker& one : workers_) note_dropped(one.rank, true);
  write_timeline();
}

void RecordKeeper::keep(int rank, const StepBatch& batch) {
  auto& file = ranks_[static_cast<size_t>(rank)].steps;
  if (!file) file.emplace(step_records_path(run_, rank));
  check(file->add(batch.records), "steps");
}

void RecordKeeper::keep(int rank, const ResourceHeader& header) {
  RankFiles& files = ranks_[static_cast<size_t>(rank)];
  if (files.header == header) return;
  if (header.rank != rank || header.start != post_.start) {
    fail("worker {} sent resources of worker {} at start {}, but this is start {}", rank, header.rank, header.start,
         post_.start);
  }
  files.resources.emplace(resources_path(run_, rank, header.start), header);
  files.header = header;
}

void RecordKeeper::keep(int rank, const ResourceRow& row) {
  RankFiles& files = ranks_[static_cast<size_t>(rank)];
  if (!files.resources || files.header->columns.size() != row.values.size()) {
    ++files.dropped;  // its header was lost
    return;
  }
  check(files.resources->add(row), "resources");
}

void RecordKeeper::keep(int rank, const StepTrace& trace) {
  if (trace.use == StepTrace::kTimeline) {
    timeline_.add(rank, trace);
    timeline_changed_ = true;
    return;
  }
  const StepTimes& times = trace.times;
  check(exchange_.add_line(to_json_line(
            {trace.step, trace.start, rank, trace.began, times.compute, times.exposed, times.seconds, times.buckets})),
        "exchange.jsonl");
}

void RecordKeeper::keep(int rank, const TimelineSpan& span) {
  timeline_.add(rank, span);
  timeline_changed_ = true;
}

// Once all workers have sent everything, the timeline is written without waiting for the end of the run.
void RecordKeeper::keep(int rank, const TimelineOver&) {
  ranks_[static_cast<size_t>(rank)].timeline_over = true;
  if (std::all_of(ranks_.begin(), ranks_.end(), [](const RankFiles& one) { return one.timeline_over; })) {
    write_timeline();
  }
}

void RecordKeeper::keep(int rank, const OwnEvent& own) { history_.add(worker(rank), own.at, own.event); }

void RecordKeeper::note_dropped(int rank, bool at_once) {
  RankFiles& files = ranks_[static_cast<size_t>(rank)];
  const double now = post_.now();
  if (files.dropped == 0 || (!at_once && now - files.noted_dropped_at < kSecondsBetweenNotes)) return;
  history_.add(worker(0), now, {"dropped", -1, {{"worker", rank}, {"messages", files.dropped}}});
  files.dropped = 0;
  files.noted_dropped_at = now;
}

// A start that resumes within the window has only a part of it; the other part is in the file of the start before.
std::string RecordKeeper::timeline_name() const {
  return fmt::format("steps-{}{}.json", to_text(window_),
                     post_.start > 0 ? fmt::format(".start-{}", post_.start) : std::string());
}

void RecordKeeper::write_timeline() {
  if (!timeline_changed_ || window_.empty()) return;
  timeline_changed_ = false;
  try {
    write_file(run_ / "timeline" / timeline_name(), timeline_.json(workers_));
  } catch (const Error& error) {
    warn_once(error.what());
  }
}

void RecordKeeper::check(bool written, const char* what) const {
  if (!written) fail_errno("cannot write to {}", (run_ / what).string());
}

void RecordKeeper::warn_once(const std::string& trouble) {
  if (std::exchange(warned_, true)) return;
  warn("the record of the run is incomplete: {}. Training continues", trouble);
}

}  // namespace verbund
