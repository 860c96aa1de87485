// The dataset's files on disk; docs/formats.md is the page for people.
//
// Each split ("train", "dev", "test") has three binary files, little-endian, each starting
// with the same 16-byte header:
//   SPLIT.ids      token ids, source then target of pair 0, of pair 1, ... (2 or 4 bytes each)
//   SPLIT.offsets  where each pair starts in ids, and the end: n + 1 numbers of 8 bytes
//   SPLIT.lengths  source and target length of each pair: 2 n numbers of 4 bytes
// dataset.json is written last and names every file with size and checksum: a folder
// without it is not a dataset.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>

namespace verbund {

static_assert(std::endian::native == std::endian::little, "files are mapped, not converted");

inline constexpr int kDatasetVersion = 1;
inline constexpr const char* kDatasetManifest = "dataset.json";
inline constexpr const char* kStatisticsFile = "statistics.json";
inline constexpr const char* kProvenanceFile = "provenance.json";

enum class ArrayKind : uint32_t { kIds = 1, kOffsets = 2, kLengths = 3 };

struct ArrayHeader {
  std::array<char, 8> magic = {'V', 'e', 'r', 'b', 'u', 'n', 'd', '\n'};
  ArrayKind kind = ArrayKind::kIds;
  uint32_t element_bytes = 0;

  bool operator==(const ArrayHeader&) const = default;
};
static_assert(sizeof(ArrayHeader) == 16);

// Two bytes a token while they suffice.
inline uint32_t token_bytes(uint64_t vocabulary) { return vocabulary <= 65536 ? 2 : 4; }

}  // namespace verbund
