#include "statistics/sign_flip.h"

#include "support/normal_numbers.h"

namespace verbund {
namespace {

TEST(SignFlip, AllOfOneSignIsRare) {
  // Of 2^5 ways to choose signs one reaches the sum.
  const std::vector<double> up = {1, 2, 3, 4, 5}, down = {-1, -2, -3, -4, -5};
  EXPECT_NEAR(sign_flip_test(up, 20000), 1.0 / 32, 0.005);
  EXPECT_NEAR(sign_flip_test(down, 20000), 1, 1e-9);
}

TEST(SignFlip, IsNeverZero) { EXPECT_NEAR(sign_flip_test(std::vector<double>(500, 1.0), 999), 1.0 / 1000, 1e-12); }

TEST(SignFlip, AlarmsFalselyAsOftenAsItSays) {
  constexpr int kSeries = 400;
  int alarms = 0;
  for (int i = 0; i < kSeries; ++i) {
    alarms += sign_flip_test(NormalNumbers(static_cast<uint64_t>(i)).take(60), 400) < 0.05;
  }
  EXPECT_LE(alarms, 0.08 * kSeries);
  EXPECT_GE(alarms, 0.02 * kSeries);
}

}  // namespace
}  // namespace verbund
