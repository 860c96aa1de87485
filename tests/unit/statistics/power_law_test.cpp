// SPDX-License-Identifier: Apache-2.0
#include "statistics/power_law.h"

#include "support/normal_numbers.h"

namespace verbund {
namespace {

std::vector<double> every(double first, size_t count) {
  std::vector<double> steps;
  for (size_t i = 1; i <= count; ++i) steps.push_back(first * static_cast<double>(i));
  return steps;
}

TEST(PowerLaw, FindsItsOwnCurve) {
  const PowerLaw truth = {1.5, 30, 0.6};
  const std::vector<double> steps = every(1000, 40);
  std::vector<double> losses;
  for (const double step : steps) losses.push_back(truth.at(step));
  const PowerLaw fit = fit_power_law(steps, losses);
  EXPECT_NEAR(fit.floor, 1.5, 1e-3);
  EXPECT_NEAR(fit.exponent, 0.6, 5e-3);
  EXPECT_NEAR(fit.at(80000), truth.at(80000), 1e-4);
}

TEST(PowerLaw, OneWildPointDoesNotBendIt) {
  const PowerLaw truth = {1.5, 30, 0.6};
  const std::vector<double> steps = every(1000, 40);
  NormalNumbers noise(4);
  std::vector<double> losses;
  for (const double step : steps) losses.push_back(truth.at(step) + 0.002 * noise.next());
  losses[30] += 2;
  EXPECT_NEAR(fit_power_law(steps, losses).at(80000), truth.at(80000), 0.01);
}

TEST(PowerLaw, StaysWithinItsBounds) {
  const std::vector<double> steps = every(100, 12);
  std::vector<double> rising, flat(12, 2.0);
  for (const double step : steps) rising.push_back(1 + step / 1000);
  EXPECT_EQ(fit_power_law(steps, rising).scale, 0);
  EXPECT_NEAR(fit_power_law(steps, flat).at(1e6), 2, 1e-6);
}

// The gain of twice the steps: an interval that is said to hold 80 % of the time has to.
TEST(PowerLaw, TheGainOfTwiceTheStepsIsCovered) {
  constexpr int kCurves = 120;
  const std::vector<double> steps = every(1000, 30);
  int covered = 0;
  for (int i = 0; i < kCurves; ++i) {
    NormalNumbers noise(1000 + static_cast<uint64_t>(i));
    const PowerLaw truth = {1 + 0.01 * (i % 50), 20.0 + i % 30, 0.4 + 0.01 * (i % 40)};
    std::vector<double> losses;
    for (const double step : steps) losses.push_back(truth.at(step) + 0.01 * noise.next());
    const PowerLaw fit = fit_power_law(steps, losses);
    std::vector<double> gains;
    for (const PowerLaw& refit : refit_power_law(fit, steps, losses, {.repeats = 100})) {
      gains.push_back(refit.at(30000) - refit.at(60000));
    }
    covered += middle(gains, 0.8).contains(truth.at(30000) - truth.at(60000));
  }
  EXPECT_NEAR(covered, 0.8 * kCurves, 0.1 * kCurves);
}

}  // namespace
}  // namespace verbund
