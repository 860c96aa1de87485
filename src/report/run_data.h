// A run folder as data: everything the verdicts, the charts and the comparison of runs look at, read once. What is
// missing is empty or NaN, never 0; what could not be read is named in `notes`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "inspect/checkpoint_contents.h"
#include "config/config.h"
#include "core/interval.h"
#include "record/exchange_trace.h"
#include "record/history.h"
#include "record/metrics_reader.h"
#include "resources/resources.h"
#include "record/step_records.h"

namespace verbund {

namespace fs = std::filesystem;

// steps/rank-N.bin, in place: a mapped file, or what a test has made.
struct RankSteps {
  int rank = 0;
  std::string host;  // "" if not known
  std::shared_ptr<const void> memory;
  std::span<const StepRecord> records;  // as they came, steps that were computed again included
  std::vector<Interval> kept;           // those of the curve: their steps rise over all intervals

  size_t kept_count() const;
  // Calls use(record) for each record of the curve, in order.
  template <typename Use>
  void for_each_kept(Use use) const {
    for (const Interval& part : kept) {
      for (size_t i = part.begin; i < part.end; ++i) use(records[i]);
    }
  }
};

// Finds what belongs to the curve: a step that comes again later is undone, and all that follow it.
std::vector<Interval> kept_records(std::span<const StepRecord> records);

struct CheckpointOnDisk {
  std::string name;  // "step-00001000", "average"
  int64_t step = 0;
  std::vector<std::string> links;  // "last", "best"
  uint64_t bytes = 0;              // of its files
};

// evaluations/step-N.jsonl, without its translations.
struct SentenceLosses {
  int64_t step = 0;
  std::vector<double> cross_entropy;  // nats, summed over the sentence's target tokens
  std::vector<double> tokens;
};

// A host of the last start, as run.json has it.
struct HostFacts {
  std::string name, processor;
  double cores = kNotKnown, threads_per_worker = kNotKnown, memory_bytes = kNotKnown;
  std::vector<int> workers;          // ranks
  double allowed_cores = kNotKnown;  // that they may use
};

// One start of the run, as far as run.json and history.jsonl tell.
struct StartFacts {
  int number = 0;
  double began = kNotKnown, ended = kNotKnown;  // seconds since 1970
  int64_t step = 0;                             // it went on from
  std::string reason;                           // of its end; "" if it goes on
  bool killed = false;
  std::vector<std::string> command;
};

struct RunData {
  fs::path folder;
  std::string name;
  nlohmann::ordered_json record;  // run.json; null if there is none
  bool imported = false;
  std::optional<Config> config;
  MetricTable training, evaluations;
  std::vector<HistoryEvent> history;
  std::vector<StartFacts> starts;
  std::vector<HostFacts> hosts;
  std::vector<RankSteps> ranks;  // by rank; missing ones are not in it
  std::vector<Resources> resources;
  std::vector<ExchangeTrace> exchange;
  std::vector<CheckpointOnDisk> checkpoints;                   // by rising step
  std::optional<CheckpointContents> newest_checkpoint;         // the newest by step
  std::vector<std::pair<int64_t, fs::path>> evaluation_files;  // by rising step
  std::vector<SentenceLosses> sentence_losses;                 // of some of them: the last, the best, some between
  std::vector<std::string> notes;                              // what was skipped or is missing, a sentence each

  int workers() const;        // of the last start; 1 if nothing tells
  int64_t last_step() const;  // of the curve
  const RankSteps* steps_of(int rank) const;
  const HostFacts* host_of(int rank) const;
  std::string worker_name(int rank) const;  // "worker 3 on beta"
};

// Fails with "nothing to report on" if the folder has neither metrics nor a record. All else is noted and left out.
RunData read_run(const fs::path& folder);

}  // namespace verbund
