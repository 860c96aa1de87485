// SPDX-License-Identifier: Apache-2.0
#include "control/clock_estimator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace verbund {
namespace {

// Another's clock, as it really is, and a network of which each way takes some time.
struct World {
  double offset = 1000;  // at time 0 of the own clock
  double drift = 0;      // seconds per second

  double other(double own) const { return own + offset + drift * own; }

  ClockSample ask(double now, double there, double back) const {
    const double thinking = 1e-4;
    return {now, other(now + there), other(now + there + thinking), now + there + thinking + back};
  }

  double error(const ClockOffset& estimate, double now) const { return std::abs(now + estimate.offset - other(now)); }
};

TEST(ClockEstimator, KnowsNothingBeforeTheFirstSample) {
  EXPECT_TRUE(std::isinf(ClockEstimator().at(5).bound));
  EXPECT_EQ(ClockEstimator().at(5).offset, 0);
}

TEST(ClockEstimator, IsExactIfBothWaysTakeEquallyLong) {
  ClockEstimator estimator;
  const World world{-3.25};
  estimator.add(world.ask(10, 0.002, 0.002));
  const ClockOffset found = estimator.at(10.0041);
  EXPECT_NEAR(found.offset, -3.25, 1e-9);
  EXPECT_NEAR(found.bound, 0.002, 1e-9);
}

TEST(ClockEstimator, AnUnevenWayErrsWithinTheBound) {
  for (const double there : {0.0, 0.001, 0.03}) {
    for (const double back : {0.0, 0.002, 0.5}) {
      ClockEstimator estimator;
      const World world;
      const ClockSample sample = world.ask(10, there, back);
      estimator.add(sample);
      const ClockOffset found = estimator.at(sample.arrived);
      EXPECT_LE(world.error(found, sample.arrived), found.bound + 1e-9);
      EXPECT_NEAR(found.bound, (there + back) / 2, 1e-9);
    }
  }
}

TEST(ClockEstimator, ALateAnswerDoesNotReplaceAGoodOne) {
  ClockEstimator estimator;
  const World world;
  estimator.add(world.ask(10, 0.001, 0.001));
  estimator.add(world.ask(11, 0.001, 0.8));
  EXPECT_NEAR(estimator.at(12).offset, world.offset, 1e-9);
  EXPECT_LT(estimator.at(12).bound, 0.0015);
}

TEST(ClockEstimator, FollowsDriftAndIsNeverSurerThanItMayBe) {
  std::mt19937 random(7);
  std::exponential_distribution<double> queue(1 / 0.002);  // seconds that a message waits behind others
  for (const double drift : {-9e-5, -1e-6, 0.0, 3e-5, 9e-5}) {
    ClockEstimator estimator;
    const World world{1000, drift};
    double worst = 0;
    for (int second = 0; second < 3600; ++second) {
      const ClockSample sample = world.ask(second, 1e-4 + queue(random), 1e-4 + queue(random));
      estimator.add(sample);
      for (const double now : {sample.arrived, second + 0.99}) {
        const ClockOffset found = estimator.at(now);
        EXPECT_LE(world.error(found, now), found.bound + 2e-6) << "drift " << drift << " at " << now;
        if (second > 0) worst = std::max(worst, found.bound);
      }
    }
    EXPECT_LT(worst, 0.01) << "though an hour has passed, in which the clocks went " << 3600 * drift << " s apart";
  }
}

TEST(ClockEstimator, AJumpIsBelievedAtOnce) {
  for (const double jump : {-60.0, 0.5, 3600.0}) {
    ClockEstimator estimator;
    World world;
    estimator.add(world.ask(10, 0.0001, 0.0001));
    world.offset += jump;
    estimator.add(world.ask(11, 0.01, 0.02));  // worse than what was known
    EXPECT_LE(world.error(estimator.at(11.1), 11.1), estimator.at(11.1).bound + 1e-9);
  }
}

TEST(ClockEstimator, NonsenseIsNotBelieved) {
  ClockEstimator estimator;
  const World world;
  estimator.add(world.ask(10, 0.001, 0.001));
  const ClockOffset before = estimator.at(20);
  estimator.add({11, 1012, 1011, 11.5});                  // replied before it received
  estimator.add({12, 1012, 1013, 12.5});                  // longer there than it was away
  estimator.add({13, 1013, 1013, 12});                    // arrived before it was sent
  estimator.add({14, std::nan(""), std::nan(""), 14.1});  // no number
  estimator.add({15, 1e308 * 10, 1e308 * 10, 15.1});      // infinite
  EXPECT_EQ(estimator.at(20).offset, before.offset);
  EXPECT_EQ(estimator.at(20).bound, before.bound);
}

}  // namespace
}  // namespace verbund
