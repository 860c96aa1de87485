// SPDX-License-Identifier: Apache-2.0
#include "optim/loss_scaler.h"

#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/random.h"
#include "support/expect_error.h"

namespace verbund::loss_scaler_test {
namespace {

using ::testing::HasSubstr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

void succeed(LossScaler& scaler, int steps) {
  for (int i = 0; i < steps; ++i) ASSERT_TRUE(scaler.update(1e-3));
}

TEST(LossScaler, NoneAndStaticNeverMoveButSkip) {
  const auto none = make_loss_scaler({});
  const auto fixed = make_loss_scaler({.type = LossScaleType::kStatic, .value = 512});
  for (LossScaler* scaler : {none.get(), fixed.get()}) {
    EXPECT_TRUE(scaler->update(1e-3));
    EXPECT_FALSE(scaler->update(kInfinity));
    EXPECT_FALSE(scaler->update(kNan));
  }
  EXPECT_EQ(none->scale(), 1);
  EXPECT_EQ(fixed->scale(), 512);
}

TEST(LossScaler, BackoffHalvesAtAnOverflow) {
  const auto scaler = make_loss_scaler({.type = LossScaleType::kBackoff});
  EXPECT_EQ(scaler->scale(), 16384);
  EXPECT_FALSE(scaler->update(kInfinity));
  EXPECT_EQ(scaler->scale(), 8192);
  EXPECT_FALSE(scaler->update(kNan));
  EXPECT_EQ(scaler->scale(), 4096);
}

TEST(LossScaler, BackoffDoublesAfterTwoThousandGoodStepsInARow) {
  const auto scaler = make_loss_scaler({.type = LossScaleType::kBackoff});
  for (int i = 0; i < 3; ++i) scaler->update(kInfinity);
  EXPECT_EQ(scaler->scale(), 2048);
  succeed(*scaler, 1999);
  EXPECT_EQ(scaler->scale(), 2048);
  succeed(*scaler, 1);
  EXPECT_EQ(scaler->scale(), 4096);
  succeed(*scaler, 2000);
  EXPECT_EQ(scaler->scale(), 8192);
  succeed(*scaler, 1999);
  scaler->update(kInfinity);  // and the count starts again
  EXPECT_EQ(scaler->scale(), 4096);
  succeed(*scaler, 1999);
  EXPECT_EQ(scaler->scale(), 4096);
  succeed(*scaler, 1);
  EXPECT_EQ(scaler->scale(), 8192);
}

TEST(LossScaler, BackoffStaysWithinItsLimits) {
  const auto scaler = make_loss_scaler({.type = LossScaleType::kBackoff});
  succeed(*scaler, 4000);
  EXPECT_EQ(scaler->scale(), 16384);
  for (int i = 0; i < 20; ++i) scaler->update(kInfinity);
  EXPECT_EQ(scaler->scale(), 1);
}

// With one value the mean is that value and the deviation zero: 2^(16 - log2 g).
TEST(LossScaler, LogMaxLeavesRoomUpToTheLimit) {
  const auto scaler = make_loss_scaler({.type = LossScaleType::kLogMax});
  EXPECT_EQ(scaler->scale(), 1);
  EXPECT_TRUE(scaler->update(64));
  EXPECT_NEAR(scaler->scale(), 1024, 1e-6);
  EXPECT_TRUE(scaler->update(64));
  EXPECT_NEAR(scaler->scale(), 1024, 1e-3);
}

// log2: 6, then 8. Mean (.0099 * 6 + .01 * 8) / .0199, deviation from the slow averages.
TEST(LossScaler, LogMaxCountsDeviations) {
  const auto scaler = make_loss_scaler({.type = LossScaleType::kLogMax});
  scaler->update(64);
  scaler->update(256);
  const double mean = (0.0099 * 6 + 0.01 * 8) / 0.0199;
  const double slow = (0.000999 * 6 + 0.001 * 8) / 0.001999;
  const double square = (0.000999 * 36 + 0.001 * 64) / 0.001999;
  const double deviation = std::sqrt(square - slow * slow);
  EXPECT_NEAR(deviation, 1, 1e-6);
  EXPECT_NEAR(scaler->scale(), std::exp2(16 - mean - 3.09 * deviation), 1e-6);
}

TEST(LossScaler, LogMaxStaysWithinItsLimits) {
  const auto small = make_loss_scaler({.type = LossScaleType::kLogMax});
  small->update(1e-6);
  EXPECT_EQ(small->scale(), 16384);
  const auto large = make_loss_scaler({.type = LossScaleType::kLogMax});
  large->update(1e9);
  EXPECT_EQ(large->scale(), 1);
}

// One overflow lowers the scale by a few powers of two, not for the rest of the training.
TEST(LossScaler, LogMaxRecoversFromAnOverflow) {
  const auto scaler = make_loss_scaler({.type = LossScaleType::kLogMax});
  for (int i = 0; i < 500; ++i) scaler->update(64);
  EXPECT_NEAR(scaler->scale(), 1024, 1);
  EXPECT_FALSE(scaler->update(kInfinity));
  const double after = scaler->scale();
  EXPECT_LT(after, 512);
  EXPECT_GT(after, 64);
  for (int i = 0; i < 2000; ++i) scaler->update(64);
  EXPECT_GT(scaler->scale(), 2 * after);
}

TEST(LossScaler, LogMaxLearnsNothingFromZeros) {
  const auto scaler = make_loss_scaler({.type = LossScaleType::kLogMax});
  EXPECT_TRUE(scaler->update(0));
  EXPECT_EQ(scaler->scale(), 1);
  scaler->update(64);
  const double scale = scaler->scale();
  EXPECT_TRUE(scaler->update(0));
  EXPECT_EQ(scaler->scale(), scale);
}

TEST(LossScaler, ResumesExactly) {
  for (const LossScaleType type : {LossScaleType::kBackoff, LossScaleType::kLogMax}) {
    const LossScaleConfig config = {.type = type, .step_window = 7};
    const auto straight = make_loss_scaler(config);
    auto resumed = make_loss_scaler(config);
    Random random(1, 0);
    for (int step = 0; step < 300; ++step) {
      const double largest = random.below(10) == 0 ? kInfinity : 20 * random.uniform();
      straight->update(largest);
      resumed->update(largest);
      const LossScaler::State saved = resumed->state();
      resumed = make_loss_scaler(config);
      resumed->restore(saved);
      ASSERT_EQ(straight->scale(), resumed->scale()) << "step " << step;
    }
  }
}

TEST(LossScaler, RefusesTheStateOfAnotherType) {
  const auto none = make_loss_scaler({});
  const auto backoff = make_loss_scaler({.type = LossScaleType::kBackoff});
  const auto logmax = make_loss_scaler({.type = LossScaleType::kLogMax});
  EXPECT_ERROR(backoff->restore(logmax->state()), Error, HasSubstr("backoff."), HasSubstr("logmax."),
               HasSubstr("loss_scale.type"));
  EXPECT_ERROR(backoff->restore(none->state()), Error, HasSubstr("backoff."));
  EXPECT_ERROR(none->restore(backoff->state()), Error, HasSubstr("backoff."));
}

TEST(LossScaler, RefusesLimitsInTheWrongOrder) {
  EXPECT_ERROR(make_loss_scaler({.type = LossScaleType::kBackoff, .scale_min = 8, .scale_max = 4}), UsageError,
               HasSubstr("loss_scale.scale_min is 8"), HasSubstr("loss_scale.scale_max is 4"));
}

}  // namespace
}  // namespace verbund::loss_scaler_test
