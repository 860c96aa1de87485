// SPDX-License-Identifier: Apache-2.0
#include "demo/corpus_generators.h"

#include "demo/generated_corpus.h"

namespace verbund {
namespace {

namespace fs = std::filesystem;

using Generate = std::function<GeneratedCorpus(uint64_t seed, const GeneratedSizes& sizes)>;

CorpusGenerator writer_of(const char* source_language, const char* target_language, const Generate& generate) {
  const auto write = [generate](uint64_t seed, size_t train_pairs, const fs::path& train, const fs::path& dev,
                                const fs::path& test) {
    const GeneratedCorpus corpus = generate(seed, {.train = train_pairs});
    write_tsv(train, corpus.train);
    write_tsv(dev, corpus.dev);
    write_tsv(test, corpus.test);
  };
  return {source_language, target_language, kGeneratorVersion, write};
}

}  // namespace

std::span<const NamedGenerator> corpus_generators() {
  static const NamedGenerator kGenerators[] = {
      {"demo", "English-German sentences from a grammar", 1000, writer_of("en", "de", demo_corpus)},
      {"reversal", "random sequences and their reverse", 150,
       writer_of("sequence", "reverse",
                 [](uint64_t seed, const GeneratedSizes& sizes) { return reversal_corpus(seed, sizes); })},
  };
  return kGenerators;
}

const NamedGenerator* find_generator(std::string_view name) {
  for (const NamedGenerator& candidate : corpus_generators()) {
    if (candidate.name == name) return &candidate;
  }
  return nullptr;
}

}  // namespace verbund
