// A binary file that grows by records of one size, after a header that says what they are. A half record at the end,
// which a kill or a full disk leaves, is cut off by the next writer and ignored by readers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/file_system.h"

namespace verbund {

class RecordFile {
 public:
  // Goes on in a file that begins with this header, or begins it. A file with another header is moved out of the way,
  // to NAME.damaged, with a warning.
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
