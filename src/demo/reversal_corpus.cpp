// SPDX-License-Identifier: Apache-2.0
#include "demo/generated_corpus.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/error.h"
#include "core/human.h"
#include "core/random.h"

namespace verbund {
namespace {

constexpr uint64_t kReversalStream = 0x7265766572736500;  // keeps this use of a seed apart from others

// Syllables, as letters and digits would not become one subword.
std::string symbol_name(size_t index) {
  constexpr std::string_view kConsonants = "bcdfghjklmnpqrstvwxz", kVowels = "aeiou";
  std::string name;
  do {
    name += kConsonants[index % 20];
    name += kVowels[index / 20 % 5];
    index /= 100;
  } while (index > 0);
  return name;
}

// The number of different sequences that the shape allows, or the largest number if there are more.
uint64_t count_sequences(const ReversalShape& shape) {
  constexpr uint64_t kMany = std::numeric_limits<uint64_t>::max();
  if (shape.symbols == 1) return shape.max_length - shape.min_length + 1;
  uint64_t total = 0, of_length = 1;
  for (size_t length = 1; length <= shape.max_length; ++length) {
    if (of_length > kMany / shape.symbols) return kMany;
    of_length *= shape.symbols;
    if (length < shape.min_length) continue;
    if (total > kMany - of_length) return kMany;
    total += of_length;
  }
  return total;
}

void check(const GeneratedSizes& sizes, const ReversalShape& shape) {
  if (shape.symbols == 0) fail_usage("reversal corpus: symbols is 0, but a sequence needs at least 1");
  if (shape.min_length == 0 || shape.min_length > shape.max_length) {
    fail_usage(
        "reversal corpus: lengths from {} to {} are asked for; the range must start at 1 or more and "
        "must not end before it starts",
        shape.min_length, shape.max_length);
  }
  const uint64_t possible = count_sequences(shape);
  if (sizes.total() > possible) {
    fail_usage(
        "reversal corpus: {} symbols in sequences of {} to {} make only {} distinct sentences, but {} "
        "are asked for ({} train, {} dev, {} test); ask for fewer, or for more symbols or length",
        shape.symbols, shape.min_length, shape.max_length, human_count(possible), human_count(sizes.total()),
        sizes.train, sizes.dev, sizes.test);
  }
}

using Sequence = std::vector<size_t>;

SentencePair to_pair(const Sequence& sequence) {
  std::vector<std::string> names(sequence.size());
  std::transform(sequence.begin(), sequence.end(), names.begin(), symbol_name);
  return {fmt::format("{}", fmt::join(names, " ")), fmt::format("{}", fmt::join(names.rbegin(), names.rend(), " "))};
}

Sequence random_sequence(Random& random, const ReversalShape& shape) {
  Sequence sequence(shape.min_length + random.below(shape.max_length - shape.min_length + 1));
  for (size_t& symbol : sequence) symbol = random.below(shape.symbols);
  return sequence;
}

// The sequences of a shape in order of length; within one length, those of a counter in base `symbols`.
Sequence sequence_at(uint64_t index, const ReversalShape& shape) {
  size_t length = shape.min_length;
  const auto of_length = [&] { return count_sequences({length, length, shape.symbols}); };
  while (index >= of_length()) {
    index -= of_length();
    ++length;
  }
  Sequence sequence(length);
  for (size_t& symbol : sequence) {
    symbol = index % shape.symbols;
    index /= shape.symbols;
  }
  return sequence;
}

}  // namespace

GeneratedCorpus reversal_corpus(uint64_t seed, const GeneratedSizes& sizes, const ReversalShape& shape) {
  check(sizes, shape);
  Random random(seed, kReversalStream);
  const uint64_t possible = count_sequences(shape);
  if (sizes.total() <= possible / 2) {
    return collect_distinct_pairs(sizes, "reversal corpus", [&] { return to_pair(random_sequence(random, shape)); });
  }
  // More than half of all sequences: guessing those that are left would take for ever.
  std::vector<uint64_t> order(possible);
  std::iota(order.begin(), order.end(), 0);
  shuffle(order.begin(), order.end(), random);
  size_t next = 0;
  return collect_distinct_pairs(sizes, "reversal corpus",
                                [&] { return to_pair(sequence_at(order[next++ % possible], shape)); });
}

}  // namespace verbund
