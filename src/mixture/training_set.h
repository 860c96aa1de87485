// SPDX-License-Identifier: Apache-2.0
// TrainingSet is the list of corpora that training draws pairs from, each a split of a dataset with a name. Their pairs
// are numbered through: those of the first corpus, then those of the second, and so on. Dropout draws from these
// numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/batch.h"
#include "data/dataset.h"

namespace verbund {

using PairIds = std::span<const uint32_t>;  // numbers of pairs in a training set

struct TrainingCorpus {
  std::string name;
  const Split* split = nullptr;
  double weight = 1;        // of its pairs, as its dataset says
  std::string tag = {};     // before each of its source sentences; "" if there is none
  std::string origin = {};  // "multi of data/more", if another corpus has its name and it got a number: multi-2
};

// Small: it refers to the splits, which must outlive it.
class TrainingSet {
 public:
  TrainingSet(const Split& only);  // NOLINT(google-explicit-constructor): a split is a training set of one corpus
  explicit TrainingSet(std::vector<TrainingCorpus> corpora);

  const std::vector<TrainingCorpus>& corpora() const { return corpora_; }
  size_t size() const { return ends_.back(); }  // pairs of all corpora
  size_t corpus_of(size_t pair) const {
    size_t corpus = 0;  // they are few
    while (pair >= ends_[corpus]) ++corpus;
    return corpus;
  }
  size_t first_pair(size_t corpus) const { return ends_[corpus] - corpora_[corpus].split->size(); }

  // Lengths of the sides of a pair, without special tokens.
  uint32_t source_length(size_t pair) const {
    const size_t corpus = corpus_of(pair);
    return corpora_[corpus].split->source_length(pair - first_pair(corpus));
  }
  uint32_t target_length(size_t pair) const {
    const size_t corpus = corpus_of(pair);
    return corpora_[corpus].split->target_length(pair - first_pair(corpus));
  }

  // Appends the tokens of a side, as Split does.
  void append_source(size_t pair, std::vector<TokenId>& ids) const;
  void append_target(size_t pair, std::vector<TokenId>& ids) const;

 private:
  std::vector<TrainingCorpus> corpora_;
  std::vector<size_t> ends_;  // the number after the last pair of each corpus
};

// Whether no side of a pair, of a split or a training set, is longer than this with </s>.
template <typename Pairs>
bool fits(const Pairs& pairs, size_t pair, int64_t max_length) {
  return std::max(pairs.source_length(pair), pairs.target_length(pair)) + int64_t{1} <= max_length;
}

// The pairs of each corpus that fit: those that training uses.
std::vector<uint64_t> usable_pairs(const TrainingSet& set, int64_t max_length);

// The tags of the corpora, each once; none if some corpus has no tag.
std::vector<std::string> tags_of_all(const TrainingSet& set);

// The training pairs of these dataset folders, in their order. A corpus whose name another one has already gets a
// number. Fails if they were not made with the same subword model.
TrainingSet training_set(std::span<const Dataset> datasets);

// Checksum of all folders: equal for equal datasets in the same order. That of one folder is its own.
std::string checksum(std::span<const Dataset> datasets);

// Replaces the content of the batch but keeps its memory, so that filling one batch after another soon allocates
// nothing.
void fill(Batch& batch, const TrainingSet& set, PairIds pairs);

}  // namespace verbund
