// SPDX-License-Identifier: Apache-2.0
// PowerLaw is the curve that losses follow, L(s) = floor + scale * s^-exponent. The fit is robust against outliers;
// intervals come from refitting curves resampled from its residuals.
#pragma once

#include <span>
#include <vector>

#include "statistics/resampling.h"

namespace verbund {

struct PowerLaw {
  double floor = 0, scale = 0, exponent = 1;

  double at(double step) const;
};

// floor >= 0, scale >= 0, exponent between 0.05 and 3; at least 4 points with steps above 0. Points
// farther than 1.5 deviations from the curve get less weight (Huber).
PowerLaw fit_power_law(std::span<const double> steps, std::span<const double> losses);

// Fits `settings.repeats` resampled curves: this fit plus blocks of its own residuals.
std::vector<PowerLaw> refit_power_law(const PowerLaw& fit, std::span<const double> steps,
                                      std::span<const double> losses, const Bootstrap& settings);

// Standard deviation of a point around the curve.
double residual_deviation(const PowerLaw& fit, std::span<const double> steps, std::span<const double> losses);

}  // namespace verbund
