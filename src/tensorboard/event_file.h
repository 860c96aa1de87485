// SPDX-License-Identifier: Apache-2.0
// EventFile writes and RecordReader reads TensorBoard's event files, a sequence of records:
//   u64 length, u32 masked CRC-32C of those 8 bytes, the bytes, u32 masked CRC-32C of the bytes
// A file is only appended to: a resumed run creates another one. TensorBoard reads the files of a folder in the order
// of their names.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/file.h"
#include "core/file_system.h"

namespace verbund {

// CRC-32C (Castagnoli).
uint32_t crc32c(std::string_view bytes);

// A record with its length and checksums.
std::string framed_record(std::string_view bytes);

// Iterates over the records of a file up to its end or to the first damaged one, as TensorBoard does.
class RecordReader {
 public:
  explicit RecordReader(std::string_view file) : file_(file) {}

  // False: there is no further intact record.
  bool next(std::string_view& record);
  // The reason and the place where reading stopped before the end of the file; "" if it did not.
  const std::string& note() const { return note_; }

 private:
  bool stop(std::string_view why);

  std::string_view file_;
  size_t position_ = 0;
  std::string note_;
};

// The event files of a folder, in the order in which TensorBoard reads them.
std::vector<fs::path> event_files(const fs::path& folder);

// A new file in the folder, named so that TensorBoard reads it after the existing ones.
class EventFile {
 public:
  // `seconds` since 1970, for its name.
  EventFile(const fs::path& folder, int64_t seconds);

  void add(std::string_view record);  // buffered in memory
  void flush();                       // to the system
  void sync();                        // to the disk

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
  OpenFile file_;
  std::string buffer_;
};

}  // namespace verbund
