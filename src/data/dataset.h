// SPDX-License-Identifier: Apache-2.0
// Dataset is a prepared dataset, memory-mapped: opening it takes no time however large it is, and all workers of a host
// share its pages.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/file.h"
#include "data/dataset_format.h"
#include "text/subwords.h"

namespace verbund {

class Split {
 public:
  // The vocabularies' sizes bound the token ids of each side.
  Split(const fs::path& folder, const std::string& name, uint64_t source_vocabulary, uint64_t target_vocabulary);

  size_t size() const { return lengths_.size() / 2; }  // pairs
  uint32_t source_length(size_t pair) const { return lengths_[2 * pair]; }
  uint32_t target_length(size_t pair) const { return lengths_[2 * pair + 1]; }
  std::span<const uint32_t> lengths() const { return lengths_; }  // source, target, source, ...
  std::span<const uint64_t> offsets() const { return offsets_; }  // of each pair, and the end

  // Appends the tokens of a side, without special tokens. Fails on an id beyond the vocabulary.
  void append_source(size_t pair, std::vector<TokenId>& ids) const;
  void append_target(size_t pair, std::vector<TokenId>& ids) const;

  // The largest token id of the pairs from `begin` up to `end`, or of a side; 0 if there is none.
  uint32_t largest_id(size_t begin, size_t end) const;
  uint32_t largest_source_id(size_t pair) const;
  uint32_t largest_target_id(size_t pair) const;

 private:
  // Calls `use` with the tokens as stored, of 2 or 4 bytes.
  template <typename Use>
  void with_tokens(uint64_t begin, uint64_t count, const Use& use) const;
  void append(uint64_t begin, uint32_t count, uint64_t vocabulary, std::vector<TokenId>& ids) const;
  uint32_t largest(uint64_t begin, uint64_t count) const;

  fs::path ids_path_;
  uint64_t source_vocabulary_, target_vocabulary_;
  MappedFile ids_file_, offsets_file_, lengths_file_;
  uint32_t token_bytes_ = 0;
  uint64_t tokens_ = 0;
  const char* ids_ = nullptr;
  std::span<const uint64_t> offsets_;
  std::span<const uint32_t> lengths_;
};

class Dataset {
 public:
  // Checks that every file exists and has its size; verify() checks the contents.
  explicit Dataset(const fs::path& folder);

  const fs::path& folder() const { return folder_; }
  const DatasetManifest& manifest() const { return manifest_; }
  bool has(const std::string& split) const { return splits_.contains(split); }
  const Split& split(const std::string& name) const;

  fs::path source_model() const { return folder_ / manifest_.source_model; }
  fs::path target_model() const { return folder_ / manifest_.target_model; }
  // Raw text of dev and test, for scoring.
  fs::path source_text(const std::string& split) const { return folder_ / (split + ".source.txt"); }
  fs::path target_text(const std::string& split) const { return folder_ / (split + ".target.txt"); }

 private:
  fs::path folder_;
  DatasetManifest manifest_;
  std::map<std::string, Split> splits_;
};

// The part of a command that prepares other text with the subword models of a dataset: "--set subwords.model=FILE", and
// the target's as well if it is another.
std::string subword_settings(const Dataset& dataset);

struct Verification {
  uint64_t bytes = 0;
  double seconds = 0;
};

// Reads the whole dataset once, or what the pairs of one split need, and checks every checksum and every number: a
// damaged dataset would train on wrong data or crash. Fails with the name of the file that is wrong.
Verification verify(const Dataset& dataset, const std::string& only_split = "");

}  // namespace verbund
