#include "model/gradient_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(CompactIds, EachTokenKnowsItsRow) {
  const std::vector<int32_t> tokens = {7, 2, 7, 30000, 2, 0};
  const CompactIds ids(tokens);
  EXPECT_THAT(ids.distinct, ElementsAre(0, 2, 7, 30000));
  EXPECT_THAT(ids.rows, ElementsAre(2, 1, 2, 3, 1, 0));
}

TEST(CompactIds, NoTokensHaveNone) {
  const CompactIds ids({});
  EXPECT_THAT(ids.distinct, IsEmpty());
  EXPECT_THAT(ids.rows, IsEmpty());
}

}  // namespace
}  // namespace verbund
