// SPDX-License-Identifier: Apache-2.0
#include "statistics/power_law.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace verbund {
namespace {

constexpr double kLowest = 0.05, kHighest = 3;  // of the exponent
constexpr int kGrid = 24;

struct Linear {
  PowerLaw law;
  double error = std::numeric_limits<double>::infinity();
};

// For a given exponent the law is a straight line in s^-exponent, whose coefficients must not be negative.
Linear fit_line(const std::vector<double>& logs, std::span<const double> losses, const std::vector<double>& weights,
                double exponent) {
  double sw = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, syy = 0;
  for (size_t i = 0; i < logs.size(); ++i) {
    const double x = std::exp(-exponent * logs[i]), y = losses[i], w = weights[i];
    sw += w;
    sx += w * x;
    sy += w * y;
    sxx += w * x * x;
    sxy += w * x * y;
    syy += w * y * y;
  }
  const double across = sw * sxx - sx * sx;
  double scale = across > 0 ? (sw * sxy - sx * sy) / across : 0;
  double floor = (sy - scale * sx) / sw;
  if (scale < 0) {
    scale = 0;
    floor = sy / sw;
  } else if (floor < 0) {
    floor = 0;
    scale = sxx > 0 ? sxy / sxx : 0;
  }
  const double error =
      syy - 2 * floor * sy - 2 * scale * sxy + sw * floor * floor + 2 * floor * scale * sx + scale * scale * sxx;
  return {{floor, scale, exponent}, error};
}

// Finds the best exponent: on a geometric grid, then by a ternary search between the neighbours of the best.
PowerLaw fit_weighted(const std::vector<double>& logs, std::span<const double> losses,
                      const std::vector<double>& weights) {
  const double ratio = std::pow(kHighest / kLowest, 1.0 / kGrid);
  int best = 0;
  Linear found;
  for (int i = 0; i <= kGrid; ++i) {
    const Linear tried = fit_line(logs, losses, weights, kLowest * std::pow(ratio, i));
    if (tried.error < found.error) {
      found = tried;
      best = i;
    }
  }
  double low = kLowest * std::pow(ratio, std::max(best - 1, 0));
  double high = kLowest * std::pow(ratio, std::min(best + 1, kGrid));
  for (int i = 0; i < 20; ++i) {
    const double a = low + (high - low) / 3, b = high - (high - low) / 3;
    const Linear at_a = fit_line(logs, losses, weights, a), at_b = fit_line(logs, losses, weights, b);
    const Linear& better = at_a.error < at_b.error ? at_a : at_b;
    if (better.error <= found.error) found = better;
    (at_a.error < at_b.error ? high : low) = at_a.error < at_b.error ? b : a;
  }
  return found.law;
}

std::vector<double> residuals(const PowerLaw& law, std::span<const double> steps, std::span<const double> losses) {
  std::vector<double> left(steps.size());
  for (size_t i = 0; i < steps.size(); ++i) left[i] = losses[i] - law.at(steps[i]);
  return left;
}

PowerLaw fit_robust(const std::vector<double>& logs, std::span<const double> steps, std::span<const double> losses,
                    int rounds) {
  std::vector<double> weights(steps.size(), 1.0);
  PowerLaw law = fit_weighted(logs, losses, weights);
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> sizes = residuals(law, steps, losses);
    for (double& size : sizes) size = std::abs(size);
    const double limit = 1.5 * 1.4826 * median(sizes);
    if (!(limit > 0)) break;
    for (size_t i = 0; i < sizes.size(); ++i) weights[i] = sizes[i] > limit ? limit / sizes[i] : 1;
    law = fit_weighted(logs, losses, weights);
  }
  return law;
}

std::vector<double> logarithms(std::span<const double> steps) {
  std::vector<double> logs(steps.size());
  std::transform(steps.begin(), steps.end(), logs.begin(), [](double step) { return std::log(step); });
  return logs;
}

}  // namespace

double PowerLaw::at(double step) const { return floor + scale * std::pow(step, -exponent); }

PowerLaw fit_power_law(std::span<const double> steps, std::span<const double> losses) {
  return fit_robust(logarithms(steps), steps, losses, 3);
}

std::vector<PowerLaw> refit_power_law(const PowerLaw& fit, std::span<const double> steps,
                                      std::span<const double> losses, const Bootstrap& settings) {
  std::vector<double> left = residuals(fit, steps, losses);
  const double center = mean(left);
  const auto n = static_cast<double>(steps.size());
  const double widen = std::sqrt(n / std::max(1.0, n - 3));  // three parameters were fitted
  for (double& value : left) value = (value - center) * widen;
  const std::vector<double> logs = logarithms(steps);
  const size_t block = block_length(left.size(), settings);
  Random random(settings.seed, 2);
  std::vector<PowerLaw> fits;
  fits.reserve(settings.repeats);
  for (size_t i = 0; i < settings.repeats; ++i) {
    std::vector<double> made = resample_blocks(left, left.size(), block, random);
    for (size_t k = 0; k < made.size(); ++k) made[k] += fit.at(steps[k]);
    fits.push_back(fit_robust(logs, steps, made, 1));
  }
  return fits;
}

double residual_deviation(const PowerLaw& fit, std::span<const double> steps, std::span<const double> losses) {
  double squares = 0;
  for (const double left : residuals(fit, steps, losses)) squares += left * left;
  return std::sqrt(squares / std::max(1.0, static_cast<double>(steps.size()) - 3));
}

}  // namespace verbund
