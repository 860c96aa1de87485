// A run folder as data: everything the verdicts, the charts and the comparison of runs look at, read once. What is
// missing is empty or NaN, never 0; what could not be read is named in `notes`.
#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/config.h"
#include "core/interval.h"
#include "telemetry/step_record.h"

namespace verbund {

namespace fs = std::filesystem;

inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
inline bool is_known(double value) { return !std::isnan(value); }

// Lines of metrics.jsonl of one kind, as columns. Steps rise: what was undone is gone.
struct MetricTable {
  std::vector<int64_t> step;
  std::vector<double> time;                            // seconds since 1970; NaN: not known
  std::map<std::string, std::vector<double>> columns;  // by key; NaN: not in that line, or not a number
  // Keys of values that were there but no numbers, by row: a loss of "NaN" differs from no loss.
  std::map<std::string, std::vector<bool>> not_finite;

  size_t rows() const { return step.size(); }
  bool has(const std::string& key) const { return columns.contains(key); }
  // All NaN if no line has it.
  std::vector<double> column(const std::string& key) const;
};

// A line of history.jsonl.
struct HistoryEvent {
  std::string event;
  double at = kUnknown;  // seconds since 1970 on the clock of worker 0
  int rank = 0;
  std::string host;
  int64_t step = 0;
  int start = 0;
  nlohmann::ordered_json details = nlohmann::ordered_json::object();  // the whole line
};

// steps/rank-N.bin, in place: a mapped file, or what a test has made.
struct RankSteps {
  int rank = 0;
  std::string host;  // "" if not known
  std::shared_ptr<const void> memory;
  std::span<const StepRecord> records;  // as they came, steps that were computed again included
  std::vector<Interval> kept;           // those of the curve: their steps rise over all intervals
  size_t kept_count = 0;

  // The n-th record of the curve.
  const StepRecord& at(size_t n) const;
};

// resources/rank-N.start-K.bin: samples of about a second.
struct ResourceTrack {
  int rank = 0;
  int start = 0;
  std::string host;
  std::vector<double> time;                           // seconds since 1970
  std::map<std::string, std::vector<float>> columns;  // "process.cpu_user"
};

// A line of exchange.jsonl: how the buckets of one step of one worker were on their way, in seconds since it began.
struct BucketTrace {
  struct Bucket {
    double ready = 0, begin = 0, end = 0, bytes = 0;
  };
  int64_t step = 0;
  int start = 0;
  int rank = 0;
  double began = 0, compute = 0, exposed = 0, seconds = 0;
  std::vector<Bucket> buckets;
};

struct CheckpointFile {
  std::string name;  // "weights.safetensors"
  uint64_t bytes = 0;
};

struct CheckpointOnDisk {
  std::string name;  // "step-00001000", "average"
  int64_t step = 0;
  std::vector<std::string> links;  // "last", "best"
  std::vector<CheckpointFile> files;
  uint64_t parameters = 0;  // of weights.safetensors; 0: not known

  uint64_t bytes() const;
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
  double cores = kUnknown, threads_per_worker = kUnknown, memory_bytes = kUnknown;
  std::vector<int> workers;  // ranks
};

// One start of the run, as far as run.json and history.jsonl tell.
struct StartFacts {
  int number = 0;
  double began = kUnknown, ended = kUnknown;  // seconds since 1970
  int64_t step = 0;                           // it went on from
  std::string reason;                         // of its end; "" if it goes on
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
  std::vector<ResourceTrack> resources;
  std::vector<BucketTrace> exchange;
  std::vector<CheckpointOnDisk> checkpoints;                   // by rising step
  std::vector<std::pair<int64_t, fs::path>> evaluation_files;  // by rising step
  std::vector<SentenceLosses> sentence_losses;                 // of some of them: the last, the best, and some between
  std::vector<std::string> notes;                              // what was skipped or is missing, a sentence each

  int workers() const;        // of the last start; 1 if nothing tells
  int64_t last_step() const;  // of the curve
  const HostFacts* host_of(int rank) const;
};

// Fails with "nothing to report on" if the folder has neither metrics nor a record. All else is noted and left out.
RunData read_run(const fs::path& folder);

}  // namespace verbund
