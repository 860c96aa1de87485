// Writes one split of a dataset, pair after pair, with constant memory.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/checksummed_file.h"
#include "data/dataset_format.h"
#include "text/subwords.h"

namespace verbund {

using FileRecords = std::map<std::string, FileSummary>;  // by file name

// Gives the file its name and notes size and checksum.
void commit(ChecksummedFile& file, FileRecords& records);

class SplitWriter {
 public:
  SplitWriter(const fs::path& folder, const std::string& split, uint64_t vocabulary);

  // `ids` holds the tokens of all pairs, source then target; `lengths` two numbers a pair.
  void add(std::span<const TokenId> ids, std::span<const uint32_t> lengths);

  void commit(FileRecords& records);

 private:
  uint32_t token_bytes_;
  ChecksummedFile ids_, offsets_, lengths_;
  uint64_t offset_ = 0;
  std::vector<uint16_t> narrow_;
  std::vector<uint64_t> pair_offsets_;
};

}  // namespace verbund
