// SPDX-License-Identifier: Apache-2.0
#include "demo/generated_corpus.h"

#include <unordered_set>

#include "core/error.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/human.h"
#include "core/interrupt.h"
#include "core/progress.h"

namespace verbund {
namespace {

// So many draws in a row without a new pair mean that the generator is as good as empty.
constexpr size_t kFruitlessDraws = 100000;

// Both sides are remembered by 64-bit hashes: a chance collision only skips one pair.
class SeenSentences {
 public:
  explicit SeenSentences(size_t expected) {
    sources_.reserve(expected);
    targets_.reserve(expected);
  }

  bool add_if_new(const SentencePair& pair) {
    const uint64_t source = hash64(pair.source), target = hash64(pair.target);
    if (sources_.contains(source) || targets_.contains(target)) return false;
    sources_.insert(source);
    targets_.insert(target);
    return true;
  }

  size_t size() const { return sources_.size(); }

 private:
  std::unordered_set<uint64_t> sources_, targets_;
};

}  // namespace

GeneratedCorpus collect_distinct_pairs(const GeneratedSizes& sizes, const std::string& what,
                                       const std::function<SentencePair()>& draw) {
  SeenSentences seen(sizes.total());
  Progress progress("generate", sizes.total(), "pairs");
  const auto fill = [&](std::vector<SentencePair>& split, size_t size) {
    split.reserve(size);
    size_t fruitless = 0;
    while (split.size() < size) {
      progress.update(seen.size());
      SentencePair pair = draw();
      if (seen.add_if_new(pair)) {
        split.push_back(std::move(pair));
        fruitless = 0;
      } else if (++fruitless == kFruitlessDraws) {
        fail("{}: found only {} distinct pairs but {} were asked for; ask for fewer", what, human_count(seen.size()),
             human_count(sizes.total()));
      }
    }
  };
  GeneratedCorpus corpus;
  fill(corpus.test, sizes.test);
  fill(corpus.dev, sizes.dev);
  fill(corpus.train, sizes.train);
  return corpus;
}

void write_tsv(const std::filesystem::path& path, const std::vector<SentencePair>& pairs) {
  AtomicFile file(path);
  for (const SentencePair& pair : pairs) {
    check_interrupt();
    file.write(fmt::format("{}\t{}\n", pair.source, pair.target));
  }
  file.commit();
}

}  // namespace verbund
