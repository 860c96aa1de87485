// SPDX-License-Identifier: Apache-2.0
// AppendFile grows line by line, such as a log; RecordFile grows by binary records of one size. After a kill or a
// failed write in the middle of a line or record, the next one is whole again.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "core/file_system.h"

namespace verbund {

class AppendFile {
 public:
  explicit AppendFile(const std::filesystem::path& path);

  // Any thread may call this. False: it could not be written, and `errno` says why.
  bool add_line(std::string_view line);

 private:
  OpenFile file_;
  std::mutex mutex_;
  bool cut_ = false;  // the last line has no end
};

// The records follow a header that describes them. A half record at the end is cut off by the next writer and ignored
// by readers.
class RecordFile {
 public:
  // Continues a file that begins with this header, or begins it. A file with another header is renamed to NAME.damaged,
  // with a warning.
  RecordFile(const std::filesystem::path& path, const std::string& header, size_t record_size);

  // A whole number of records. False: not all of them could be written, and `errno` says why; the next ones follow the
  // last whole one.
  bool add(std::string_view records);
  template <typename Record>
  bool add_records(std::span<const Record> records) {
    return add({reinterpret_cast<const char*>(records.data()), records.size_bytes()});
  }

 private:
  OpenFile file_;
  const size_t record_size_;
  uint64_t end_ = 0;  // of the last whole record
};

}  // namespace verbund
