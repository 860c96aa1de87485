// SPDX-License-Identifier: Apache-2.0
// What planning a mixture costs: five corpora of 4.5 million pairs in all, beside the same pairs as one corpus. Prints
// the seconds of the first epoch's plan and of a later one, and the memory that the plan holds. Verifies that an epoch
// has the draws of its stage.
//
//   bench_mixture [PAIRS]
#include <fmt/format.h>

#include <cstdlib>
#include <numeric>

#include "core/elapsed.h"
#include "core/file.h"
#include "core/process.h"
#include "core/random.h"
#include "mixture/mixture_progress.h"
#include "tests/support/temporary_folder.h"

namespace verbund {
namespace {

constexpr uint64_t kVocabulary = 100;
constexpr double kShares[] = {0.6, 0.25, 0.1, 0.04, 0.01};  // of the pairs

// Lengths like those of news text; the tokens are all the same.
Split made(const fs::path& folder, const std::string& name, size_t pairs, uint64_t seed) {
  Random random(seed, 0);
  SplitWriter writer(folder, name, kVocabulary);
  std::vector<TokenId> ids;
  std::vector<uint32_t> lengths;
  for (size_t i = 0; i < pairs; ++i) {
    const auto source = static_cast<uint32_t>(3 + random.below(30) + random.below(30));
    lengths = {source, source + static_cast<uint32_t>(random.below(5))};
    ids.assign(lengths[0] + lengths[1], 4);
    writer.add(ids, lengths);
  }
  FileRecords records;
  writer.commit(records);
  return Split(folder, name, kVocabulary, kVocabulary);
}

void fail_unless(bool holds, const char* what) {
  if (holds) return;
  fmt::print(stderr, "wrong: {}\n", what);
  std::exit(1);
}

double measure(const char* name, const TrainingSet& set, const MixtureConfig& config) {
  const BatchConfig batch;
  reset_peak_memory();
  const uint64_t before = peak_memory();
  const auto start = std::chrono::steady_clock::now();
  const MixtureProgress progress(set, batch.max_length, config);
  const BatchPlan plan(set, batch, 1, progress.draws());
  plan.batches(0);
  const double first = seconds_since(start);
  const auto later = std::chrono::steady_clock::now();
  const size_t batches = plan.batches(1);
  const double second = seconds_since(later);
  const uint64_t peak = peak_memory() - before;

  std::vector<uint64_t> counts(set.corpora().size(), 0);
  for (size_t i = 0; i < batches; ++i) {
    for (const uint32_t pair : plan.batch({1, i})) ++counts[set.corpus_of(pair)];
  }
  const std::vector<uint64_t>& draws = progress.current().draws;
  fail_unless(counts == (draws.empty() ? progress.usable() : draws), "an epoch has other pairs than its draws");
  fmt::print("{:<32} first epoch {:6.3f} s, next {:6.3f} s, peak memory {:6.1f} MB, {} batches\n", name, first, second,
             static_cast<double>(peak) / 1e6, batches);
  return second;
}

int run(size_t pairs) {
  const TemporaryFolder folder;
  std::vector<Split> splits;
  splits.reserve(6);
  std::vector<TrainingCorpus> corpora;
  for (size_t i = 0; i < 5; ++i) {
    const std::string name(1, static_cast<char>('a' + i));
    splits.push_back(made(folder.path(), name, static_cast<size_t>(kShares[i] * static_cast<double>(pairs)), i));
    corpora.push_back({name, &splits.back()});
  }
  splits.push_back(made(folder.path(), "all", pairs, 9));
  const double one = measure("one corpus", TrainingSet({{"all", &splits.back()}}), {});
  const TrainingSet set(corpora);
  const double every = measure("five corpora, every pair once", set, {});
  const double mixed = measure("five corpora, equal shares", set, {.temperature = 1000});
  fmt::print("ratio of the plan of an epoch to that of one corpus: {:.2f} with five, {:.2f} with shares\n", every / one,
             mixed / one);
  return 0;
}

}  // namespace
}  // namespace verbund

int main(int argc, char** argv) {
  return verbund::run(argc > 1 ? static_cast<size_t>(std::atoll(argv[1])) : size_t{4500000});
}
