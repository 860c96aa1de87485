#include "statistics/distributions.h"

namespace verbund {
namespace {

// Numbers of printed tables.
TEST(Distributions, Normal) {
  EXPECT_NEAR(normal_cumulative(1.96), 0.9750021, 1e-7);
  EXPECT_NEAR(normal_quantile(0.975), 1.959964, 1e-6);
  EXPECT_NEAR(normal_quantile(0.1), -1.281552, 1e-6);
}

TEST(Distributions, Student) {
  EXPECT_NEAR(student_quantile(0.975, 1), 12.7062, 1e-4);
  EXPECT_NEAR(student_quantile(0.975, 10), 2.228139, 1e-6);
  EXPECT_NEAR(student_quantile(0.9, 4), 1.533206, 1e-6);
  EXPECT_NEAR(student_quantile(0.9, 1e6), 1.281553, 1e-5);
  EXPECT_NEAR(student_cumulative(-2.228139, 10), 0.025, 1e-6);
}

}  // namespace
}  // namespace verbund
