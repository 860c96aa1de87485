#include "collectives/sparse_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace verbund {
namespace {

using ::testing::ElementsAre;

TEST(SparseRows, SumHasTheRowsOfBoth) {
  const SparseRows a = {{1, 4, 9}, {1, 2, 3, 4, 5, 6}}, b = {{0, 4, 11}, {10, 20, 30, 40, 50, 60}};
  const SparseRows both = sum(a, b, 2);
  EXPECT_THAT(both.ids, ElementsAre(0, 1, 4, 9, 11));
  EXPECT_THAT(both.values, ElementsAre(10, 20, 1, 2, 33, 44, 5, 6, 50, 60));
  EXPECT_EQ(sum(a, {}, 2).values, a.values);
  EXPECT_EQ(sum({}, b, 2).ids, b.ids);
}

// Numbers whose sum tells in which order they were added: each is lost unless its neighbours come first.
TEST(SparseRows, TheTreeIsSplitAtTheLargestPowerOfTwo) {
  const auto tree = [](std::vector<float> values) {
    std::vector<SparseRows> parts;
    for (const float value : values) parts.push_back({{3}, {value}});
    return sum_in_tree(parts, 1).values.at(0);
  };
  const float a = 1e8f, b = 3.3f, c = -1e8f, d = 7.7f, e = 0.1f;
  EXPECT_EQ(tree({a}), a);
  EXPECT_EQ(tree({a, b}), a + b);
  EXPECT_EQ(tree({a, b, c}), (a + b) + c);
  EXPECT_EQ(tree({a, b, c, d}), (a + b) + (c + d));
  EXPECT_EQ(tree({a, b, c, d, e}), ((a + b) + (c + d)) + e);
  EXPECT_NE((a + b) + (c + d), ((a + b) + c) + d);
}

TEST(SparseRows, WhoLacksARowIsSkippedInTheTree) {
  const float a = 1e8f, b = 3.3f, c = -1e8f;
  std::vector<SparseRows> parts = {{{5}, {a}}, {{6}, {1}}, {{5}, {b}}, {{5, 6}, {c, 2}}};
  const SparseRows result = sum_in_tree(parts, 1);
  EXPECT_THAT(result.ids, ElementsAre(5, 6));
  EXPECT_THAT(result.values, ElementsAre(a + (b + c), 3));
}

TEST(SparseRows, NobodyHasNone) {
  EXPECT_EQ(sum_in_tree({}, 4).count(), 0u);
  std::vector<SparseRows> parts(3);
  EXPECT_EQ(sum_in_tree(parts, 4).count(), 0u);
}

TEST(SparseRows, AreAddedToTheirPlaces) {
  std::vector<float> table(6, 1);
  add_rows({{0, 2}, {1, 2, 3, 4}}, 2, table);
  EXPECT_THAT(table, ElementsAre(2, 3, 1, 1, 4, 5));
}

}  // namespace
}  // namespace verbund
