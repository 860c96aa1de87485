#include "data/dataset.h"

#include <cstring>

#include "core/error.h"
#include "core/hash.h"
#include "data/dataset_format.h"

namespace verbund {
namespace {

// The elements behind the header, or an error that says what is wrong with the file.
std::string_view array_body(const MappedFile& file, const fs::path& path, ArrayKind kind, uint32_t& element_bytes) {
  const std::string_view bytes = file.bytes();
  ArrayHeader header;
  ArrayHeader expected;
  expected.kind = kind;
  if (bytes.size() >= sizeof(header)) {
    std::memcpy(&header, bytes.data(), sizeof(header));
    expected.element_bytes = header.element_bytes;
  }
  if (header != expected || (header.element_bytes != 2 && header.element_bytes != 4 && header.element_bytes != 8) ||
      (bytes.size() - sizeof(header)) % header.element_bytes != 0) {
    fail("{} is damaged: it does not start or end like a part of a dataset. Run `verbund prepare` again.",
         path.string());
  }
  element_bytes = header.element_bytes;
  return bytes.substr(sizeof(header));
}

template <typename T>
std::span<const T> values(const MappedFile& file, const fs::path& path, ArrayKind kind) {
  uint32_t element_bytes = 0;
  const std::string_view body = array_body(file, path, kind, element_bytes);
  if (element_bytes != sizeof(T)) {
    fail("{} is damaged: elements of {} bytes instead of {}", path.string(), element_bytes, sizeof(T));
  }
  return {reinterpret_cast<const T*>(body.data()), body.size() / sizeof(T)};
}

void check_file(const fs::path& path, const FileSummary& record, Verify verify) {
  std::error_code error;
  const uint64_t size = fs::file_size(path, error);
  if (error) {
    fail("the dataset is incomplete: {}: {}. Run `verbund prepare` again.", path.string(), error.message());
  }
  if (size != record.size) {
    fail("the dataset is damaged: {} has {} bytes, but {} says {}. Run `verbund prepare` again.", path.string(), size,
         kDatasetManifest, record.size);
  }
  if (verify == Verify::kSizes) return;
  const std::string checksum = file_checksum(path);
  if (checksum != record.checksum) {
    fail("the dataset is damaged: the checksum of {} is {}, but {} says {}. Run `verbund prepare` again.",
         path.string(), checksum, kDatasetManifest, record.checksum);
  }
}

}  // namespace

Split::Split(const fs::path& folder, const std::string& name)
    : ids_file_(folder / (name + ".ids")),
      offsets_file_(folder / (name + ".offsets")),
      lengths_file_(folder / (name + ".lengths")) {
  const std::string_view ids = array_body(ids_file_, folder / (name + ".ids"), ArrayKind::kIds, token_bytes_);
  ids_ = ids.data();
  offsets_ = values<uint64_t>(offsets_file_, folder / (name + ".offsets"), ArrayKind::kOffsets);
  lengths_ = values<uint32_t>(lengths_file_, folder / (name + ".lengths"), ArrayKind::kLengths);
  if (offsets_.size() != size() + 1 || offsets_.back() * token_bytes_ != ids.size()) {
    fail(
        "the dataset is damaged: {}.ids, {}.offsets and {}.lengths in {} do not belong together ({} offsets "
        "for {} "
        "pairs). Run `verbund prepare` again.",
        name, name, name, folder.string(), offsets_.size(), size());
  }
}

void Split::append(uint64_t begin, uint32_t count, std::vector<TokenId>& ids) const {
  const char* from = ids_ + begin * token_bytes_;
  if (token_bytes_ == sizeof(uint16_t)) {
    const auto* tokens = reinterpret_cast<const uint16_t*>(from);
    ids.insert(ids.end(), tokens, tokens + count);
  } else {
    const auto* tokens = reinterpret_cast<const TokenId*>(from);
    ids.insert(ids.end(), tokens, tokens + count);
  }
}

void Split::append_source(size_t pair, std::vector<TokenId>& ids) const {
  append(offsets_[pair], source_length(pair), ids);
}

void Split::append_target(size_t pair, std::vector<TokenId>& ids) const {
  append(offsets_[pair] + source_length(pair), target_length(pair), ids);
}

Dataset::Dataset(const fs::path& folder, Verify verify) : folder_(folder), manifest_(read_manifest(folder)) {
  for (const auto& [name, record] : manifest_.files) check_file(folder_ / name, record, verify);
  for (const auto& [name, pairs] : manifest_.splits) {
    Split split(folder_, name);
    if (split.size() != pairs) {
      fail("the dataset is damaged: {} has {} pairs of {}, but {} says {}. Run `verbund prepare` again.",
           folder_.string(), split.size(), name, kDatasetManifest, pairs);
    }
    splits_.emplace(name, std::move(split));
  }
}

const Split& Dataset::split(const std::string& name) const {
  const auto found = splits_.find(name);
  if (found == splits_.end()) {
    std::vector<std::string> names;
    for (const auto& [there, split] : splits_) names.push_back(there);
    fail("the dataset {} has no {} pairs, only {}", folder_.string(), name, fmt::join(names, ", "));
  }
  return found->second;
}

}  // namespace verbund
