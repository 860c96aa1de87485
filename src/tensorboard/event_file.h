// TensorBoard's event files: records one after the other, each
//   u64 length, u32 masked CRC-32C of those 8 bytes, the bytes, u32 masked CRC-32C of the bytes
// A file is only ever appended to: a run that goes on begins another one. TensorBoard reads those of a folder in the
// order of their names.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/file.h"
#include "core/file_system.h"

namespace verbund {

std::string framed_record(std::string_view bytes);

// Goes through the records of a file up to its end or to where it cannot be read, as TensorBoard does.
class RecordReader {
 public:
  explicit RecordReader(std::string_view file) : file_(file) {}

  // False: there are no more, or none that is whole.
  bool next(std::string_view& record);
  // Why reading stopped before the end of the file, and where; "" if it did not.
  const std::string& note() const { return note_; }

 private:
  bool stop(std::string_view why);

  std::string_view file_;
  size_t position_ = 0;
  std::string note_;
};

// Those of a folder, in the order in which TensorBoard reads them.
std::vector<fs::path> event_files(const fs::path& folder);

// A new file in this folder, named so that it is read after all that are there.
class EventFile {
 public:
  // `seconds` since 1970, for its name.
  EventFile(const fs::path& folder, int64_t seconds);

  void add(std::string_view record);  // in memory, until there is enough to write
  void flush();                       // to the system
  void sync();                        // to the disk

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
  OpenFile file_;
  std::string buffer_;
};

}  // namespace verbund
