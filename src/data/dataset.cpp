// SPDX-License-Identifier: Apache-2.0
#include "data/dataset.h"

#include <algorithm>
#include <cstring>

#include "core/error.h"
#include "core/log.h"
#include "data/dataset_format.h"

namespace verbund {
namespace {

// The elements after the header; fails if the file is damaged.
std::string_view array_body(const MappedFile& file, const fs::path& path, ArrayKind kind, uint32_t& element_bytes) {
  const std::string_view bytes = file.bytes();
  ArrayHeader header;
  ArrayHeader expected;
  expected.kind = kind;
  if (bytes.size() >= sizeof(header)) {
    std::memcpy(&header, bytes.data(), sizeof(header));
    expected.element_bytes = header.element_bytes;
  }
  if (header != expected || header.element_bytes == 0 || (bytes.size() - sizeof(header)) % header.element_bytes != 0) {
    fail("{} is damaged: its header or its size is not that of a dataset file. Run `verbund prepare` again.",
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
    fail("{} is damaged: elements of {} bytes instead of {}. Run `verbund prepare` again.", path.string(),
         element_bytes, sizeof(T));
  }
  return {reinterpret_cast<const T*>(body.data()), body.size() / sizeof(T)};
}

void check_file(const fs::path& path, const FileSummary& record) {
  std::error_code error;
  const uint64_t size = fs::file_size(path, error);
  if (error) {
    fail("the dataset is incomplete: {}: {}. Run `verbund prepare` again.", path.string(), error.message());
  }
  if (size != record.size) {
    fail("the dataset is damaged: {} has {} bytes, but {} says {}. Run `verbund prepare` again.", path.string(), size,
         kDatasetManifest, record.size);
  }
}

}  // namespace

Split::Split(const fs::path& folder, const std::string& name, uint64_t source_vocabulary, uint64_t target_vocabulary)
    : ids_path_(folder / (name + ".ids")),
      source_vocabulary_(source_vocabulary),
      target_vocabulary_(target_vocabulary),
      ids_file_(ids_path_),
      offsets_file_(folder / (name + ".offsets")),
      lengths_file_(folder / (name + ".lengths")) {
  const std::string_view ids = array_body(ids_file_, ids_path_, ArrayKind::kIds, token_bytes_);
  if (token_bytes_ != sizeof(uint16_t) && token_bytes_ != sizeof(TokenId)) {
    fail("{} is damaged: ids of {} bytes instead of 2 or 4. Run `verbund prepare` again.", ids_path_.string(),
         token_bytes_);
  }
  ids_ = ids.data();
  tokens_ = ids.size() / token_bytes_;
  offsets_ = values<uint64_t>(offsets_file_, folder / (name + ".offsets"), ArrayKind::kOffsets);
  lengths_ = values<uint32_t>(lengths_file_, folder / (name + ".lengths"), ArrayKind::kLengths);
  if (lengths_.size() % 2 != 0 || offsets_.size() != size() + 1 || offsets_.front() != 0 ||
      offsets_.back() != tokens_) {
    fail(
        "the dataset is damaged: {0}.ids, {0}.offsets and {0}.lengths in {1} do not match ({2} tokens; "
        "offsets of {3} pairs, lengths of {4}). Run `verbund prepare` again.",
        name, folder.string(), tokens_, std::max<size_t>(offsets_.size(), 1) - 1, size());
  }
}

// The files may have changed after the verification, so bounds are checked here and in append, too.
template <typename Use>
void Split::with_tokens(uint64_t begin, uint64_t count, const Use& use) const {
  if (begin > tokens_ || count > tokens_ - begin) {
    fail(
        "the dataset is damaged: {} has {} tokens, but {} from number {} on are needed. Run `verbund prepare` "
        "again.",
        ids_path_.string(), tokens_, count, begin);
  }
  const char* from = ids_ + begin * token_bytes_;
  if (token_bytes_ == sizeof(uint16_t)) {
    use(std::span(reinterpret_cast<const uint16_t*>(from), count));
  } else {
    use(std::span(reinterpret_cast<const uint32_t*>(from), count));
  }
}

// Checks the copies, which no one else can change.
void Split::append(uint64_t begin, uint32_t count, uint64_t vocabulary, std::vector<TokenId>& ids) const {
  const size_t before = ids.size();
  with_tokens(begin, count, [&](const auto tokens) { ids.insert(ids.end(), tokens.begin(), tokens.end()); });
  uint32_t largest = 0;
  for (const TokenId id : std::span(ids).subspan(before)) largest = std::max(largest, static_cast<uint32_t>(id));
  if (largest < vocabulary || count == 0) return;
  fail(
      "the dataset is damaged: {} has the id {}, but the last of the vocabulary is {}. The file has changed since it "
      "was verified. Run `verbund prepare` again, or copy the dataset again.",
      ids_path_.string(), largest, vocabulary - 1);
}

uint32_t Split::largest(uint64_t begin, uint64_t count) const {
  uint32_t found = 0;
  with_tokens(begin, count, [&](const auto tokens) {
    for (const auto token : tokens) found = std::max<uint32_t>(found, token);
  });
  return found;
}

uint32_t Split::largest_id(size_t begin, size_t end) const {
  return largest(offsets_[begin], offsets_[end] - offsets_[begin]);
}

uint32_t Split::largest_source_id(size_t pair) const { return largest(offsets_[pair], source_length(pair)); }

uint32_t Split::largest_target_id(size_t pair) const {
  return largest(offsets_[pair] + source_length(pair), target_length(pair));
}

void Split::append_source(size_t pair, std::vector<TokenId>& ids) const {
  append(offsets_[pair], source_length(pair), source_vocabulary_, ids);
}

void Split::append_target(size_t pair, std::vector<TokenId>& ids) const {
  append(offsets_[pair] + source_length(pair), target_length(pair), target_vocabulary_, ids);
}

Dataset::Dataset(const fs::path& folder) : folder_(folder), manifest_(read_manifest(folder)) {
  for (const auto& [name, record] : manifest_.files) check_file(folder_ / name, record);
  for (const auto& [name, pairs] : manifest_.splits) {
    for (const char* part : {".ids", ".offsets", ".lengths"}) {
      if (manifest_.files.contains(name + part)) continue;
      fail("the dataset is damaged: {} has {} pairs, but does not list {}{}. Run `verbund prepare` again.",
           (folder_ / kDatasetManifest).string(), name, name, part);
    }
    Split split(folder_, name, manifest_.source_vocabulary, manifest_.target_vocabulary);
    if (split.size() != pairs) {
      fail("the dataset is damaged: {} has {} pairs of {}, but {} says {}. Run `verbund prepare` again.",
           folder_.string(), split.size(), name, kDatasetManifest, pairs);
    }
    debug("dataset {}: {} has {} pairs", folder_.string(), name, pairs);
    splits_.emplace(name, std::move(split));
  }
}

const Split& Dataset::split(const std::string& name) const {
  const auto found = splits_.find(name);
  if (found == splits_.end()) {
    std::vector<std::string> names;
    for (const auto& [there, split] : splits_) names.push_back(there);
    fail("the dataset {} has no {} pairs, only those of {}", folder_.string(), name, fmt::join(names, ", "));
  }
  return found->second;
}

std::string subword_settings(const Dataset& dataset) {
  std::string source = fmt::format("--set subwords.model={}", dataset.source_model().string());
  if (dataset.source_model() == dataset.target_model()) return source;
  return fmt::format("{} --set subwords.target_model={}", source, dataset.target_model().string());
}

}  // namespace verbund
