// SPDX-License-Identifier: Apache-2.0
// Writer and reader of steps/rank-N.bin, with one record per step of a worker: a header of 16 bytes ("VBsteps\n",
// version, size of a record), then the records as they came, never rewritten. See docs/formats.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <type_traits>
#include <vector>

#include "core/append_file.h"
#include "core/file.h"

namespace verbund {

struct StepRecord {
  int64_t step = 0;     // steps done, this one included
  double began = 0;     // seconds since 1970 on the clock of worker 0
  float seconds = 0;    // all of the step
  float waited = 0;     // for data
  float compute = 0;    // forward and backward, up to where it could exchange all
  float exposed = 0;    // waiting for the exchange
  float update = 0;     // norm, clipping, optimiser, average
  float exchange = 0;   // time in which the communication thread was busy, hidden or not
  uint64_t bytes = 0;   // sent
  uint32_t tokens = 0;  // target tokens of this worker
  float loss = 0;       // their mean
  uint32_t start = 0;   // number of the start of the run, from 0 (see run.json)
  uint32_t flags = 0;   // StepFlag
};
static_assert(sizeof(StepRecord) == 64 && std::is_trivially_copyable_v<StepRecord>);

enum StepFlag : uint32_t {
  kTuningBuckets = 1,  // the size of gradient buckets was still being tried
  kNotUpdated = 2,     // the gradient was not finite
};

std::filesystem::path step_records_path(const std::filesystem::path& run, int rank);

// Appends to an existing file.
class StepRecordWriter {
 public:
  explicit StepRecordWriter(const std::filesystem::path& path);

  // False: not all records could be written, see `errno`.
  bool add(std::span<const StepRecord> records) { return file_.add_records(records); }

 private:
  RecordFile file_;
};

// The records of a file, memory-mapped, in the order in which they came. Steps that a resume has undone appear again
// later with a higher `start`; after a roll-back, with the same `start`.
class StepRecords {
 public:
  // Ignores an incomplete record at the end; refuses a file with another header.
  explicit StepRecords(const std::filesystem::path& path);

  size_t size() const { return records_.size(); }
  bool empty() const { return records_.empty(); }
  const StepRecord& operator[](size_t i) const { return records_[i]; }
  auto begin() const { return records_.begin(); }
  auto end() const { return records_.end(); }
  std::span<const StepRecord> all() const { return records_; }

 private:
  MappedFile file_;
  std::span<const StepRecord> records_;
};

// The last records of a file that may be growing, in order, at most `max_count`; without those that later ones undo.
// Empty if it cannot be read. Links and special files are not opened.
std::vector<StepRecord> read_last_step_records(const std::filesystem::path& path, size_t max_count);

}  // namespace verbund
