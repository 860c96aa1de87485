// SPDX-License-Identifier: Apache-2.0
#include "core/interval.h"

#include "core/error.h"
#include "support/expect_error.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Interval, Intersection) {
  EXPECT_EQ(intersection({2, 8}, {5, 9}), (Interval{5, 8}));
  EXPECT_EQ(intersection({2, 8}, {0, 100}), (Interval{2, 8}));
  EXPECT_EQ(intersection({2, 4}, {4, 9}).size(), 0u);
  EXPECT_EQ(intersection({6, 9}, {1, 3}).size(), 0u);
}

TEST(Interval, ComplementOfUnsortedAndOverlapping) {
  EXPECT_THAT(complement({{7, 9}, {2, 4}, {3, 5}}, 10), ElementsAre(Interval{0, 2}, Interval{5, 7}, Interval{9, 10}));
  EXPECT_THAT(complement({{2, 8}, {3, 4}}, 10), ElementsAre(Interval{0, 2}, Interval{8, 10}));
}

TEST(Interval, ComplementAtTheEdges) {
  EXPECT_THAT(complement({}, 10), ElementsAre(Interval{0, 10}));
  EXPECT_THAT(complement({{0, 10}}, 10), IsEmpty());
  EXPECT_THAT(complement({{0, 3}, {3, 10}}, 10), IsEmpty());
  EXPECT_THAT(complement({{4, 4}}, 10), ElementsAre(Interval{0, 4}, Interval{4, 10}));
  EXPECT_THAT(complement({}, 0), IsEmpty());
}

TEST(Interval, ComplementRefusesWhatIsOutside) {
  EXPECT_ERROR(complement({{5, 11}}, 10), Error, HasSubstr("[5, 11)"), HasSubstr("10"));
  EXPECT_ERROR(complement({{6, 5}}, 10), Error, HasSubstr("[6, 5)"));
}

}  // namespace
}  // namespace verbund
