// SPDX-License-Identifier: Apache-2.0
// RunData is a run folder as data: everything that verdicts, charts and comparisons need, read once. Missing values are
// empty or NaN, never 0; `notes` names what could not be read.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "config/config.h"
#include "core/interval.h"
#include "core/json.h"
#include "inspect/checkpoint_contents.h"
#include "record/evaluation_file.h"
#include "record/exchange_trace.h"
#include "record/history.h"
#include "record/metrics_reader.h"
#include "record/step_records.h"
#include "resources/resources.h"

namespace verbund {

namespace fs = std::filesystem;

// steps/rank-N.bin, in place: a mapped file, or what a test has made.
struct RankSteps {
  int rank = 0;
  std::string host;  // "" if not known
  std::shared_ptr<const void> memory;
  std::span<const StepRecord> records;  // in the order of the file, with repeated steps
  std::vector<Interval> kept;           // records that count: their steps rise over all intervals

  size_t kept_count() const;
  // Calls use(record) for each record that counts, in order.
  template <typename Use>
  void for_each_kept(Use use) const {
    for (const Interval& part : kept) {
      for (size_t i = part.begin; i < part.end; ++i) use(records[i]);
    }
  }
};

// The records that count: a step that is repeated later is undone, with all that follow it.
std::vector<Interval> kept_records(std::span<const StepRecord> records);
// The same for records that have grown: `kept` is that of the first `before` of them.
void extend_kept_records(std::vector<Interval>& kept, std::span<const StepRecord> records, size_t before);

// Calls use(start, part) for each part of the records that one start of the run has written. Starts rise in a file, so
// few records are read.
template <typename Use>
void for_each_start(std::span<const StepRecord> records, const Interval& whole, Use use) {
  const auto at = [&](size_t i) { return records.begin() + static_cast<std::ptrdiff_t>(i); };
  for (Interval part = {whole.begin, whole.begin}; part.begin < whole.end; part.begin = part.end) {
    const uint32_t start = records[part.begin].start;
    const auto end = std::upper_bound(at(part.begin), at(whole.end), start,
                                      [](uint32_t one, const StepRecord& record) { return one < record.start; });
    part.end = static_cast<size_t>(end - records.begin());
    use(start, part);
  }
}

struct CheckpointOnDisk {
  std::string name;  // "step-00001000", "average"
  int64_t step = 0;
  std::vector<std::string> links;  // "last", "best"
  uint64_t bytes = 0;              // of its files
};

// A host of a start, as run.json has it.
struct HostFacts {
  std::string name, processor;
  double cores = kNotKnown, threads_per_worker = kNotKnown, memory_bytes = kNotKnown;
  std::vector<int> workers;          // ranks
  double allowed_cores = kNotKnown;  // that they may use
  bool on_record = true;             // false: in place of the hosts of workers whose hosts are not known
};

// One start of the run, from run.json and history.jsonl.
struct StartFacts {
  int number = 0;
  double began = kNotKnown, ended = kNotKnown;  // seconds since 1970
  int64_t step = 0;                             // that it resumed from
  std::string reason;                           // of its end; "" while it runs
  bool killed = false;
  std::vector<std::string> command;
  std::vector<HostFacts> hosts;  // empty: not on record
  // Differences from the previous start, which --resume force or best accepted.
  std::vector<std::string> differences = {};
  std::string mixture = {};  // "": not on record

  // Somebody gave --resume best; launch's own restarts continue instead.
  bool returned_to_best = false;

  // The start did all it was to do, or somebody stopped it: it did not die.
  bool was_wanted() const;
};

struct RunData {
  fs::path folder;
  std::string name;
  Json record;  // run.json; null if there is none
  bool imported = false;
  std::optional<Config> config;
  MetricTable training, evaluations;
  std::vector<HistoryEvent> history;
  std::vector<StartFacts> starts;
  std::vector<HostFacts> hosts;  // of the last start
  std::vector<RankSteps> ranks;  // by rank; missing ones are not in it
  std::vector<Resources> resources;
  std::vector<ExchangeTrace> exchange;
  std::vector<CheckpointOnDisk> checkpoints;                   // by rising step
  std::optional<CheckpointContents> newest_checkpoint;         // the newest by step
  std::vector<std::pair<int64_t, fs::path>> evaluation_files;  // by rising step
  std::vector<SentenceLosses> sentence_losses;                 // of some of them: the last, the best, some between
  std::vector<std::string> notes;                              // what was skipped or is missing, one sentence each
  double read_at = kNotKnown;                                  // seconds since 1970

  int workers() const;        // of the last start; 1 if unknown
  int64_t last_step() const;  // that counts
  const RankSteps* steps_of(int rank) const;
  const HostFacts* host_of(int rank) const;
  std::string worker_name(int rank) const;  // "worker 3 on beta"
  // True if a run that has not ended gave no sign of life for ten minutes before it was read. Its resources are sampled
  // every few seconds, also while it evaluates.
  bool silent() const;
};

// Fails with "nothing to report on" if the folder has neither metrics nor a record. Other faults become notes.
RunData read_run(const fs::path& folder);

}  // namespace verbund
