// SPDX-License-Identifier: Apache-2.0
// Dropout masks: their statistics, and their independence of the order of calls.
#include "unit/kernels/reference.h"

namespace verbund::dropout_test {
namespace {

constexpr int64_t kFeatures = 20000;

Floats row(const Kernels& kernels, const DropoutKey& key, uint64_t sentence = 5, uint32_t position = 6,
           uint32_t first_block = 0, int64_t features = kFeatures) {
  Floats mask = filled(features, 99);
  kernels.dropout_row(key, sentence, position, first_block, features, mask.data());
  return mask;
}

// Is the share of elements for which `counted` is true the probability, within five deviations?
template <typename Counted>
void expect_share(int64_t count, double probability, Counted counted, const std::string& what) {
  int64_t hits = 0;
  for (int64_t i = 0; i < count; ++i) hits += counted(static_cast<size_t>(i)) ? 1 : 0;
  const double deviation = std::sqrt(probability * (1 - probability) / static_cast<double>(count));
  EXPECT_NEAR(static_cast<double>(hits) / static_cast<double>(count), probability, 5 * deviation) << what;
}

class Dropout : public KernelTest {};

TEST_P(Dropout, DropsItsShareAndScalesTheRest) {
  for (const double rate : {0.01, 0.1, 0.3, 0.5, 0.9}) {
    const DropoutKey key = dropout_key(rate, 1, 2, 3);
    EXPECT_NEAR(key.scale, 1 / (1 - rate), 1e-3 * key.scale);
    const Floats mask = row(*GetParam(), key);
    for (const float value : mask) ASSERT_TRUE(value == 0 || value == key.scale) << value;
    expect_share(
        kFeatures, rate, [&](size_t i) { return mask[i] == 0; }, "rate " + std::to_string(rate));
    // Neighbours, and elements that come from the same random word, know nothing of each other.
    for (const size_t distance : {1U, 16U, 32U, 64U, 128U}) {
      expect_share(
          kFeatures - static_cast<int64_t>(distance), rate * rate,
          [&](size_t i) { return mask[i] == 0 && mask[i + distance] == 0; }, "at distance " + std::to_string(distance));
    }
  }
}

TEST_P(Dropout, EveryPartOfTheNameMakesAnotherMask) {
  constexpr double kRate = 0.3;
  const Kernels& k = *GetParam();
  const Floats mask = row(k, dropout_key(kRate, 1, 2, 3));
  const std::map<std::string, Floats> others = {
      {"seed", row(k, dropout_key(kRate, 2, 2, 3))},
      {"step", row(k, dropout_key(kRate, 1, 3, 3))},
      {"site", row(k, dropout_key(kRate, 1, 2, 4))},
      {"sentence", row(k, dropout_key(kRate, 1, 2, 3), 6)},
      {"sentence far away", row(k, dropout_key(kRate, 1, 2, 3), 5 + (uint64_t{1} << 32))},
      {"position", row(k, dropout_key(kRate, 1, 2, 3), 5, 7)},
      {"head", row(k, dropout_key(kRate, 1, 2, 3), 5, 6, 512)},
  };
  for (const auto& [name, other] : others) {
    const auto both = [&, &there = other](size_t i) { return mask[i] == 0 && there[i] == 0; };
    expect_share(kFeatures, kRate * kRate, both, name);
  }
}

TEST_P(Dropout, DependsOnNothingButTheName) {
  const DropoutKey key = dropout_key(0.2, 1, 2, 3);
  const Floats whole = row(*GetParam(), key);
  for (const uint32_t block : {100U, 3U, 0U, 57U}) {  // other rows between, backwards, parts of a row
    row(*GetParam(), dropout_key(0.7, 9, 9, 9), block);
    const Floats part = row(*GetParam(), key, 5, 6, block, 200);
    EXPECT_TRUE(same_bits(part, std::span(whole).subspan(size_t{block} * 128, 200))) << block;
  }
  EXPECT_TRUE(same_bits(whole, row(*KernelTest::all()[0], key))) << "instruction sets must agree";
}

TEST_P(Dropout, NoneMeansOnes) {
  for (const float value : row(*GetParam(), dropout_key(0, 1, 2, 3))) ASSERT_EQ(value, 1);
}

VERBUND_FOR_EVERY_INSTRUCTION_SET(Dropout);

}  // namespace
}  // namespace verbund::dropout_test
