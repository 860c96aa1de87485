// Worker 0's: writes what the workers have sent into the run folder: steps/, resources/, exchange.jsonl, timeline/, and
// into the history what happened to them and what of their messages was lost. What has come is on disk when `receive`
// returns.
//
//   workers.set_handler([&](int rank, auto bytes, uint64_t dropped) { keeper.receive(rank, bytes, dropped); });
//   ... the run; all recorders' pause(); workers.flush(); their end(); workers.set_handler({}); keeper.end();
//
// Trouble with a file is a warning: a run does not end for its record.
#pragma once

#include <filesystem>
#include <mutex>
#include <optional>

#include "config/number.h"
#include "core/append_file.h"
#include "record/history_writer.h"
#include "record/record_message.h"
#include "record/step_records.h"
#include "record/timeline.h"

namespace verbund {

class RecordKeeper final {
 public:
  // Goes on in the files that are there. `timeline`: the steps of which one is wanted, or none.
  RecordKeeper(std::filesystem::path run, RecordPost post, std::vector<Worker> workers, HistoryWriter& history,
               StepWindow timeline = {});

  // By any thread. `dropped_before`: messages of this worker that were lost since its last one.
  void receive(int rank, std::span<const std::byte> message, uint64_t dropped_before);

  // What is left: messages that were lost, the timeline.
  void end();

 private:
  struct RankFiles {
    std::optional<StepRecordWriter> steps;
    std::optional<ResourceHeader> header;
    std::optional<ResourceWriter> resources;
    uint64_t dropped = 0;         // and not noted yet
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

  std::mutex mutex_;  // of all that follows
  AppendFile exchange_;
  std::vector<RankFiles> ranks_;
  Timeline timeline_;
  bool timeline_changed_ = false;
  bool warned_ = false;
};

}  // namespace verbund
