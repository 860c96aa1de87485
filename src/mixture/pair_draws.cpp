// SPDX-License-Identifier: Apache-2.0
#include "mixture/pair_draws.h"

#include "core/hash.h"

namespace verbund {
namespace {

constexpr uint64_t kRoundStream = 0x726f756e'64000000;  // plus the round

}  // namespace

PairDraws::PairDraws(TrainingSet set, EpochDraws draws, int64_t max_length, bool shuffled, uint64_t seed)
    : set_(std::move(set)),
      draws_(std::move(draws)),
      max_length_(max_length),
      shuffled_(shuffled),
      seed_(seed),
      usable_(usable_pairs(set_, max_length)) {
  draws_.before.resize(set_.corpora().size());
}

std::vector<uint64_t> PairDraws::before(uint64_t epoch) const {
  std::vector<uint64_t> counts = draws_.before;
  for (size_t i = 0; i < counts.size(); ++i) {
    counts[i] += (epoch - draws_.first) * (in_rounds() ? draws_.pairs[i] : usable_[i]);
  }
  return counts;
}

std::vector<uint32_t> PairDraws::draw(uint64_t epoch, Random& random) const {
  std::vector<uint32_t> pairs;
  if (!in_rounds()) {
    for (size_t corpus = 0; corpus < usable_.size(); ++corpus) draw_all(corpus, pairs);
    if (shuffled_) shuffle(pairs.begin(), pairs.end(), random);
    return pairs;
  }
  const std::vector<uint64_t> begins = before(epoch);
  std::vector<uint32_t> drawn;  // of all corpora, one after the other
  std::vector<size_t> next;     // of each corpus, in `drawn`
  for (size_t corpus = 0; corpus < usable_.size(); ++corpus) {
    next.push_back(drawn.size());
    draw_rounds(corpus, begins[corpus], draws_.pairs[corpus], drawn);
    pairs.insert(pairs.end(), draws_.pairs[corpus], static_cast<uint32_t>(corpus));
  }
  if (shuffled_) shuffle(pairs.begin(), pairs.end(), random);
  for (uint32_t& pair : pairs) pair = drawn[next[pair]++];
  return pairs;
}

void PairDraws::draw_all(size_t corpus, std::vector<uint32_t>& pairs) const {
  const Split& split = *set_.corpora()[corpus].split;
  pairs.reserve(pairs.size() + usable_[corpus]);
  for (size_t i = 0; i < split.size(); ++i) {
    if (fits(split, i, max_length_)) pairs.push_back(static_cast<uint32_t>(set_.first_pair(corpus) + i));
  }
}

// Appends `count` pairs of the rounds of a corpus, from number `begin` on.
void PairDraws::draw_rounds(size_t corpus, uint64_t begin, uint64_t count, std::vector<uint32_t>& pairs) const {
  if (count == 0) return;
  std::vector<uint32_t> all;
  draw_all(corpus, all);
  const uint64_t seed = hash64(set_.corpora()[corpus].name, seed_);
  while (count > 0) {
    std::vector<uint32_t> round = all;
    Random random(seed, kRoundStream + begin / all.size());
    if (shuffled_) shuffle(round.begin(), round.end(), random);
    const uint64_t from = begin % all.size(), taken = std::min(count, all.size() - from);
    const auto first = round.begin() + static_cast<ptrdiff_t>(from);
    pairs.insert(pairs.end(), first, first + static_cast<ptrdiff_t>(taken));
    begin += taken;
    count -= taken;
  }
}

}  // namespace verbund
