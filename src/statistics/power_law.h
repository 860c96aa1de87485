// The curve that losses follow, L(s) = floor + scale * s^-exponent, fitted so that single wild points do not bend it,
// and what it says of later steps, with intervals from refitting curves made of its own residuals.
#pragma once

#include <span>
#include <vector>

#include "statistics/bootstrap.h"

namespace verbund {

struct PowerLaw {
  double floor = 0, scale = 0, exponent = 1;

  double at(double step) const;
};

// floor >= 0, scale >= 0, exponent between 0.05 and 3; at least 4 points with steps above 0. Weights of points beyond
// 1.5 deviations of the residuals fall (Huber).
PowerLaw fit_power_law(std::span<const double> steps, std::span<const double> losses);

// Fits of as many made curves: this fit plus blocks of its own residuals.
std::vector<PowerLaw> refit_power_law(const PowerLaw& fit, std::span<const double> steps,
                                      std::span<const double> losses, const Bootstrap& settings);

// Standard deviation of a point around the curve.
double residual_deviation(const PowerLaw& fit, std::span<const double> steps, std::span<const double> losses);

}  // namespace verbund
