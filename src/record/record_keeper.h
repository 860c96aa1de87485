// SPDX-License-Identifier: Apache-2.0
// RecordKeeper is worker 0's writer of the messages of all workers to the run folder: steps/, resources/,
// exchange.jsonl, timeline/, and their events and the number of lost messages to the history. A message is on disk when
// `receive` returns.
//
//   workers.set_handler([&](int rank, auto bytes, uint64_t dropped) { keeper.receive(rank, bytes, dropped); });
//   ... the run; all recorders' pause(); workers.flush(); their end(); workers.set_handler({}); keeper.end();
//
// A file that cannot be written is a warning: the record never ends a run.
#pragma once

#include <filesystem>
#include <mutex>
#include <optional>

#include "config/number.h"
#include "core/append_file.h"
#include "record/history.h"
#include "record/record_message.h"
#include "record/step_records.h"
#include "record/timeline.h"

namespace verbund {

class RecordKeeper final {
 public:
  // Appends to existing files. `timeline`: the steps of the timeline, or none.
  RecordKeeper(std::filesystem::path run, RecordPost post, std::vector<Worker> workers, HistoryWriter& history,
               StepWindow timeline = {});

  // Any thread may call it. `dropped_before`: number of lost messages of this worker since its last one.
  void receive(int rank, std::span<const std::byte> message, uint64_t dropped_before);

  // Writes the rest: the number of lost messages, the timeline.
  void end();

 private:
  struct RankFiles {
    std::optional<StepRecordWriter> steps;
    std::optional<ResourceHeader> header;
    std::optional<ResourceWriter> resources;
    uint64_t dropped = 0;         // not noted yet
    double noted_dropped_at = 0;  // seconds since 1970
    bool timeline_over = false;
  };

  void keep(int rank, const StepBatch& batch);
  void keep(int rank, const ResourceHeader& header);
  void keep(int rank, const ResourceRow& row);
  void keep(int rank, const StepTrace& trace);
  void keep(int rank, const TimelineSpan& span);
  void keep(int rank, const TimelineOver& over);
  void keep(int rank, const OwnEvent& own);

  const Worker& worker(int rank) const { return workers_[static_cast<size_t>(rank)]; }
  void note_dropped(int rank, bool at_once);
  std::string timeline_name() const;
  void write_timeline();
  void check(bool written, const char* what) const;  // fails
  void warn_once(const std::string& trouble);

  const std::filesystem::path run_;
  const RecordPost post_;
  const std::vector<Worker> workers_;
  HistoryWriter& history_;
  const StepWindow window_;

  std::mutex mutex_;  // of all members below
  AppendFile exchange_;
  std::vector<RankFiles> ranks_;
  Timeline timeline_;
  bool timeline_changed_ = false;
  bool warned_ = false;
};

}  // namespace verbund
