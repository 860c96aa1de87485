// SPDX-License-Identifier: Apache-2.0
// Dataset files on disk: their format, the manifest, and the writer of a split. docs/formats.md explains the format.
//
// Each split ("train", "dev", "test"; with named sources "train-NAME", "dev-NAME", ...) has three binary files,
// little-endian, each starting with the same 16-byte header:
//   SPLIT.ids      token ids, source then target of pair 0, of pair 1, ... (2 or 4 bytes each)
//   SPLIT.offsets  the start of each pair in ids, and the end: n + 1 numbers of 8 bytes
//   SPLIT.lengths  source and target length of each pair: 2 n numbers of 4 bytes
// dataset.json is written last and lists every file with size and checksum: a folder without it is not a dataset.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/source_name.h"
#include "core/checksummed_file.h"
#include "text/subwords.h"

namespace verbund {

static_assert(std::endian::native == std::endian::little, "files are mapped, not converted");

inline constexpr int kDatasetVersion = 1;
inline constexpr const char* kDatasetManifest = "dataset.json";
inline constexpr const char* kStatisticsFile = "statistics.json";
inline constexpr const char* kProvenanceFile = "provenance.json";
inline constexpr const char* kPrepareFile = "prepare.yaml";  // the configuration

enum class ArrayKind : uint32_t { kIds = 1, kOffsets = 2, kLengths = 3 };

struct ArrayHeader {
  std::array<char, 8> magic = {'V', 'e', 'r', 'b', 'u', 'n', 'd', '\n'};
  ArrayKind kind = ArrayKind::kIds;
  uint32_t element_bytes = 0;

  bool operator==(const ArrayHeader&) const = default;
};
static_assert(sizeof(ArrayHeader) == 16);

// Two bytes per token if they suffice.
inline uint32_t token_bytes(uint64_t vocabulary) { return vocabulary <= 65536 ? 2 : 4; }

using FileRecords = std::map<std::string, FileSummary>;  // by file name

// Gives the file its name and records size and checksum.
void commit(ChecksummedFile& file, FileRecords& records);

// DatasetSource is one of the corpora that a dataset was made of. Its training pairs are a split of their own.
struct DatasetSource {
  std::string name;
  double weight = 1;  // of its pairs in training, relative to the other sources
  std::string tag;    // the symbol before each of its source sentences; "" if there is none
  std::string split;  // of its training pairs: "train-NAME", or "train" in a dataset without named sources
  std::string dev() const { return "dev-" + name; }  // its own dev pairs, if there are any
};

// DatasetManifest is the content of dataset.json.
struct DatasetManifest {
  std::string name, source_language, target_language;
  std::string source_model, target_model;  // file names; the same for a joint model
  uint64_t source_vocabulary = 0, target_vocabulary = 0;
  std::vector<DatasetSource> named_sources;  // empty: all training pairs are the split "train"
  std::map<std::string, uint64_t> splits;    // name -> pairs
  FileRecords files;
  std::string made_by;

  bool joint() const { return source_model == target_model; }
  // The sources, at least one: a dataset without named ones is a source called like its corpus.
  std::vector<DatasetSource> sources() const;
  std::string checksum() const;  // of all files and sources: equal for equal datasets
};

void write_manifest(const fs::path& folder, const DatasetManifest& manifest);
DatasetManifest read_manifest(const fs::path& folder);

// SplitWriter writes one split of a dataset, pair after pair, with constant memory.
class SplitWriter {
 public:
  SplitWriter(const fs::path& folder, const std::string& split, uint64_t vocabulary);

  // `ids` holds the tokens of all pairs, source then target; `lengths` two numbers per pair.
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
