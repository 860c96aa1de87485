// SPDX-License-Identifier: Apache-2.0
#include "text/shuffle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "support/temporary_folder.h"

namespace verbund {
namespace {

std::vector<int> numbers_in(const std::string& text) {
  std::istringstream stream(text);
  std::vector<int> numbers;
  for (int number = 0; stream >> number;) numbers.push_back(number);
  return numbers;
}

std::string count(int limit) {
  std::string text;
  for (int i = 0; i < limit; ++i) text += std::to_string(i) + "\n";
  return text;
}

TEST(Shuffle, IsAPermutationInOneBucketOrMany) {
  TemporaryFolder folder;
  const auto input = folder.write("in", count(5000));
  for (const uint64_t bucket_bytes : {uint64_t{1} << 20, uint64_t{1000}}) {
    shuffle_lines(input, folder / "out", 1, bucket_bytes);
    std::vector<int> numbers = numbers_in(slurp(folder / "out"));
    EXPECT_FALSE(std::is_sorted(numbers.begin(), numbers.end()));
    std::sort(numbers.begin(), numbers.end());
    EXPECT_EQ(numbers, numbers_in(count(5000)));
  }
  // Buckets leave nothing behind.
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 2);
}

TEST(Shuffle, SameSeedSameOrder) {
  TemporaryFolder folder;
  const auto input = folder.write("in", count(1000));
  shuffle_lines(input, folder / "a", 5);
  shuffle_lines(input, folder / "b", 5);
  shuffle_lines(input, folder / "c", 6);
  EXPECT_EQ(slurp(folder / "a"), slurp(folder / "b"));
  EXPECT_NE(slurp(folder / "a"), slurp(folder / "c"));
}

// Where the first line ends up must be uniform, over buckets as well as inside them.
TEST(Shuffle, IsUniform) {
  TemporaryFolder folder;
  const auto input = folder.write("in", count(10));
  std::vector<int> places(10);
  constexpr int kRuns = 2000;
  for (int seed = 0; seed < kRuns; ++seed) {
    shuffle_lines(input, folder / "out", static_cast<uint64_t>(seed), 7);  // three buckets
    const std::vector<int> numbers = numbers_in(slurp(folder / "out"));
    ++places[static_cast<size_t>(std::find(numbers.begin(), numbers.end(), 0) - numbers.begin())];
  }
  double chi_square = 0;
  for (const int place : places) chi_square += (place - kRuns / 10.0) * (place - kRuns / 10.0) / (kRuns / 10.0);
  EXPECT_LT(chi_square, 27.9);  // 9 degrees of freedom, p = 0.001
}

}  // namespace
}  // namespace verbund
