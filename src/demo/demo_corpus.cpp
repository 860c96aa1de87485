// SPDX-License-Identifier: Apache-2.0
#include "demo/generated_corpus.h"

#include <algorithm>

#include "demo/derivation.h"

namespace verbund {
namespace {

constexpr uint64_t kStream = 0x64656d6f00000000;  // keeps this use of a seed apart from others

// Words in a sentence, on either side.
constexpr size_t kFewestWords = 3, kMaxWords = 16;

bool has_good_length(const std::string& sentence) {
  const size_t words = 1 + static_cast<size_t>(std::count(sentence.begin(), sentence.end(), ' '));
  return words >= kFewestWords && words <= kMaxWords;
}

}  // namespace

GeneratedCorpus demo_corpus(uint64_t seed, const GeneratedSizes& sizes) {
  Random random(seed, kStream);
  const demo::Grammar grammar = demo::read_grammar(builtin_demo_files());
  return collect_distinct_pairs(sizes, "demo corpus", [&] {
    SentencePair pair;
    do {
      const auto sentence = derive(grammar, "Sentence", random);
      pair = {write_sentence(grammar, *sentence, "en"), write_sentence(grammar, *sentence, "de")};
    } while (!has_good_length(pair.source) || !has_good_length(pair.target));
    return pair;
  });
}

}  // namespace verbund
