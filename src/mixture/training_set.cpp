// SPDX-License-Identifier: Apache-2.0
#include "mixture/training_set.h"

#include <algorithm>

#include "core/error.h"
#include "core/hash.h"
#include "core/plain_path.h"

namespace verbund {
namespace {

constexpr const char* kTrainSplit = "train";

void check_same_subwords(const Dataset& first, const Dataset& other) {
  const auto compare = [&](const std::string& own, const std::string& theirs) {
    const std::string& before = first.manifest().files.at(own).checksum;
    const std::string& now = other.manifest().files.at(theirs).checksum;
    if (before == now) return;
    fail(
        "{} and {} were made with different subword models (checksums {} and {}): the same id is another piece. "
        "Prepare the second with those of the first: {}",
        first.folder().string(), other.folder().string(), before, now, subword_settings(first));
  };
  compare(first.manifest().source_model, other.manifest().source_model);
  compare(first.manifest().target_model, other.manifest().target_model);
}

// The corpora of a folder; one without a name is called after the folder, if there are others.
std::vector<TrainingCorpus> corpora_of(const Dataset& dataset, bool are_more) {
  const bool by_folder = are_more && dataset.manifest().named_sources.empty();
  std::vector<TrainingCorpus> corpora;
  for (const DatasetSource& source : dataset.manifest().sources()) {
    corpora.push_back({by_folder ? folder_name(dataset.folder()) : source.name, &dataset.split(source.split),
                       source.weight, source.tag});
  }
  return corpora;
}

}  // namespace

TrainingSet::TrainingSet(const Split& only) : TrainingSet(std::vector<TrainingCorpus>{{kTrainSplit, &only}}) {}

TrainingSet::TrainingSet(std::vector<TrainingCorpus> corpora) : corpora_(std::move(corpora)) {
  size_t end = 0;
  for (const TrainingCorpus& corpus : corpora_) ends_.push_back(end += corpus.split->size());
}

void TrainingSet::append_source(size_t pair, std::vector<TokenId>& ids) const {
  const size_t corpus = corpus_of(pair);
  corpora_[corpus].split->append_source(pair - first_pair(corpus), ids);
}

void TrainingSet::append_target(size_t pair, std::vector<TokenId>& ids) const {
  const size_t corpus = corpus_of(pair);
  corpora_[corpus].split->append_target(pair - first_pair(corpus), ids);
}

std::vector<uint64_t> usable_pairs(const TrainingSet& set, int64_t max_length) {
  std::vector<uint64_t> pairs;
  for (const TrainingCorpus& corpus : set.corpora()) {
    uint64_t& count = pairs.emplace_back(0);
    for (size_t i = 0; i < corpus.split->size(); ++i) count += fits(*corpus.split, i, max_length) ? 1 : 0;
  }
  return pairs;
}

std::vector<std::string> tags_of_all(const TrainingSet& set) {
  std::vector<std::string> tags;
  for (const TrainingCorpus& corpus : set.corpora()) {
    if (corpus.tag.empty()) return {};
    if (std::ranges::find(tags, corpus.tag) == tags.end()) tags.push_back(corpus.tag);
  }
  return tags;
}

TrainingSet training_set(std::span<const Dataset> datasets) {
  std::vector<TrainingCorpus> all;
  for (const Dataset& dataset : datasets) {
    if (&dataset != &datasets.front()) check_same_subwords(datasets.front(), dataset);
    for (TrainingCorpus& corpus : corpora_of(dataset, datasets.size() > 1)) {
      const std::string own = corpus.name;
      const auto is_taken = [&] { return std::ranges::find(all, corpus.name, &TrainingCorpus::name) != all.end(); };
      for (int number = 2; is_taken(); ++number) corpus.name = fmt::format("{}-{}", own, number);
      if (corpus.name != own) corpus.origin = fmt::format("{} of {}", own, dataset.folder().string());
      all.push_back(std::move(corpus));
    }
  }
  return TrainingSet(std::move(all));
}

std::string checksum(std::span<const Dataset> datasets) {
  if (datasets.size() == 1) return datasets.front().manifest().checksum();
  Checksum all;
  for (const Dataset& dataset : datasets) all.add(dataset.manifest().checksum() + "\n");
  return all.digest();
}

void fill(Batch& batch, const TrainingSet& set, PairIds pairs) {
  clear(batch);
  for (const uint32_t pair : pairs) {
    const size_t corpus = set.corpus_of(pair);
    append(batch, *set.corpora()[corpus].split, pair - set.first_pair(corpus), pair);
  }
}

}  // namespace verbund
