#include "data/dataset_writer.h"

namespace verbund {
namespace {

void write_header(ChecksummedFile& file, ArrayKind kind, uint32_t element_bytes) {
  ArrayHeader header;
  header.kind = kind;
  header.element_bytes = element_bytes;
  file.write_values(std::span<const ArrayHeader>(&header, 1));
}

}  // namespace

void commit(ChecksummedFile& file, FileRecords& records) { records[file.path().filename().string()] = file.commit(); }

SplitWriter::SplitWriter(const fs::path& folder, const std::string& split, uint64_t vocabulary)
    : token_bytes_(token_bytes(vocabulary)),
      ids_(folder / (split + ".ids")),
      offsets_(folder / (split + ".offsets")),
      lengths_(folder / (split + ".lengths")) {
  write_header(ids_, ArrayKind::kIds, token_bytes_);
  write_header(offsets_, ArrayKind::kOffsets, sizeof(uint64_t));
  write_header(lengths_, ArrayKind::kLengths, sizeof(uint32_t));
  offsets_.write_values(std::span<const uint64_t>(&offset_, 1));
}

void SplitWriter::add(std::span<const TokenId> ids, std::span<const uint32_t> lengths) {
  if (token_bytes_ == sizeof(uint16_t)) {
    narrow_.assign(ids.begin(), ids.end());
    ids_.write_values(std::span<const uint16_t>(narrow_));
  } else {
    ids_.write_values(ids);
  }
  lengths_.write_values(lengths);
  pair_offsets_.clear();
  for (size_t i = 0; i < lengths.size(); i += 2) {
    offset_ += lengths[i] + lengths[i + 1];
    pair_offsets_.push_back(offset_);
  }
  offsets_.write_values(std::span<const uint64_t>(pair_offsets_));
}

void SplitWriter::commit(FileRecords& records) {
  verbund::commit(ids_, records);
  verbund::commit(offsets_, records);
  verbund::commit(lengths_, records);
}

}  // namespace verbund
