// SPDX-License-Identifier: Apache-2.0
#include "evaluate/test_set.h"

#include <algorithm>
#include <numeric>

#include "core/error.h"
#include "core/hash.h"
#include "core/random.h"
#include "core/utf8.h"
#include "text/line_reader.h"

namespace verbund {
namespace {

constexpr uint64_t kProbeStream = 0x70726f62'65000000;

Segments read_lines(const fs::path& path) {
  LineReader reader(path);
  Segments lines;
  for (std::string line; reader.next_line(line);) {
    if (!is_utf8(line)) fail("line {} of {} is not valid UTF-8", reader.lines(), path.string());
    lines.push_back(line);
  }
  if (lines.empty()) fail("{} is empty: there is nothing to evaluate", path.string());
  return lines;
}

Segments text_of(const fs::path& file, const std::vector<Sentence>& tokens, const Subwords& subwords) {
  if (fs::exists(file)) return read_lines(file);
  Segments lines;
  for (const Sentence& sentence : tokens) lines.push_back(subwords.decode(sentence));
  return lines;
}

template <typename Item>
std::vector<Item> in_order(const std::vector<Item>& items, const std::vector<size_t>& order) {
  std::vector<Item> result;
  for (const size_t i : order) result.push_back(items[i]);
  return result;
}

}  // namespace

TestSet read_test_set(const Dataset& dataset, const std::string& split, const Subwords& source,
                      const Subwords& target) {
  if (!dataset.has(split)) fail("the dataset {} has no {} pairs", dataset.folder().string(), split);
  const Split& pairs = dataset.split(split);
  TestSet set;
  set.source_tokens.resize(pairs.size());
  set.reference_tokens.resize(pairs.size());
  for (size_t i = 0; i < pairs.size(); ++i) {
    pairs.append_source(i, set.source_tokens[i]);
    pairs.append_target(i, set.reference_tokens[i]);
  }
  set.sources = text_of(dataset.source_text(split), set.source_tokens, source);
  set.references = text_of(dataset.target_text(split), set.reference_tokens, target);
  if (set.sources.size() != set.size() || set.references.size() != set.size()) {
    fail("the {} split of {} has {} pairs, but {} and {} lines of text: prepare it again", split,
         dataset.folder().string(), set.size(), set.sources.size(), set.references.size());
  }
  return set;
}

std::vector<size_t> in_turn(const std::vector<size_t>& sizes) {
  std::vector<size_t> order;
  const size_t all = std::accumulate(sizes.begin(), sizes.end(), size_t{0});
  for (size_t round = 0; order.size() < all; ++round) {
    size_t first = 0;
    for (const size_t size : sizes) {
      if (round < size) order.push_back(first + round);
      first += size;
    }
  }
  return order;
}

TestSet with_sources_in_turn(const TestSet& dev, const Dataset& dataset) {
  std::vector<size_t> sizes;
  for (const DatasetSource& source : dataset.manifest().named_sources) {
    if (dataset.has(source.dev())) sizes.push_back(dataset.split(source.dev()).size());
  }
  const std::vector<size_t> order = in_turn(sizes);
  if (order.size() != dev.size()) return dev;  // they are not those of the sources
  return {in_order(dev.sources, order), in_order(dev.references, order), in_order(dev.source_tokens, order),
          in_order(dev.reference_tokens, order)};
}

TestSet read_test_set(const fs::path& source_file, const fs::path& reference_file, const std::string& tag,
                      const Subwords& source, const Subwords& target) {
  TestSet set;
  set.sources = read_lines(source_file);
  set.references = read_lines(reference_file);
  if (set.sources.size() != set.references.size()) {
    fail("{} has {} lines, but {} has {}", source_file.string(), set.sources.size(), reference_file.string(),
         set.references.size());
  }
  if (!tag.empty()) {
    for (std::string& line : set.sources) line = tag + " " + line;
  }
  for (const std::string& line : set.sources) set.source_tokens.push_back(source.encode(line));
  for (const std::string& line : set.references) set.reference_tokens.push_back(target.encode(line));
  return set;
}

std::string checksum(const TestSet& set) {
  Checksum checksum;
  for (const Segments* side : {&set.sources, &set.references}) {
    for (const std::string& line : *side) checksum.add(line + "\n");
  }
  return checksum.digest();
}

TestSet choose_train_probe(const TrainingSet& train, int64_t pairs, int64_t max_length, uint64_t seed) {
  const auto is_used = [&](size_t pair) { return fits(train, pair, max_length); };
  uint64_t left = 0;  // pairs that may still be chosen
  for (size_t i = 0; i < train.size(); ++i) left += is_used(i) ? 1 : 0;
  uint64_t wanted = std::min(static_cast<uint64_t>(pairs), left);

  TestSet set;
  Random random(seed, kProbeStream);
  for (size_t i = 0; wanted > 0; ++i) {
    if (!is_used(i) || random.below(left--) >= wanted) continue;
    --wanted;
    train.append_source(i, set.source_tokens.emplace_back());
    train.append_target(i, set.reference_tokens.emplace_back());
  }
  return set;
}

}  // namespace verbund
