// steps/rank-N.bin: its writer and its reader. See docs/formats.md.
#pragma once

#include <filesystem>
#include <span>

#include "core/append_file.h"
#include "core/file.h"
#include "record/step_record.h"

namespace verbund {

std::filesystem::path step_records_path(const std::filesystem::path& run, int rank);

// Goes on in a file that is there.
class StepRecordWriter {
 public:
  explicit StepRecordWriter(const std::filesystem::path& path);

  // False: not all could be written, and `errno` says why.
  bool add(std::span<const StepRecord> records) { return file_.add_records(records); }

 private:
  RecordFile file_;
};

// The records as they lie on disk, mapped and not copied: in the order in which they came. Steps that a resume has
// undone are in it again later, with a higher `start`; after a roll-back, with the same.
class StepRecords {
 public:
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

// Ignores a half record at the end; refuses a file that does not begin as such a file does.
inline StepRecords read_step_records(const std::filesystem::path& path) { return StepRecords(path); }

}  // namespace verbund
