// Writes one split of a dataset, pair after pair, with constant memory.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/file.h"
#include "core/hash.h"
#include "data/dataset_format.h"
#include "text/subwords.h"

namespace verbund {

struct FileRecord {
  uint64_t size = 0;
  std::string checksum;
};
using FileRecords = std::map<std::string, FileRecord>;  // by file name

// A file whose checksum is taken while it is written.
class RecordedFile {
 public:
  explicit RecordedFile(const fs::path& path) : file_(path) {}

  void write(std::string_view bytes) {
    file_.write(bytes);
    checksum_.add(bytes);
  }
  template <typename T>
  void write_values(std::span<const T> values) {
    write({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  }

  void commit(FileRecords& records);

 private:
  AtomicFile file_;
  Checksum checksum_;
};

class SplitWriter {
 public:
  SplitWriter(const fs::path& folder, const std::string& split, uint64_t vocabulary);

  // `ids` holds the tokens of all pairs, source then target; `lengths` two numbers a pair.
  void add(std::span<const TokenId> ids, std::span<const uint32_t> lengths);

  void commit(FileRecords& records);

 private:
  uint32_t token_bytes_;
  RecordedFile ids_, offsets_, lengths_;
  uint64_t offset_ = 0;
  std::vector<uint16_t> narrow_;
  std::vector<uint64_t> pair_offsets_;
};

}  // namespace verbund
