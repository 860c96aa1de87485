// SPDX-License-Identifier: Apache-2.0
// Welch's t-test compares the means of two small samples, such as the scores of several seeds of two settings.
#pragma once

#include <span>

namespace verbund {

// Standard deviation of a sample, with n - 1; NaN if it has fewer than two values.
double deviation(std::span<const double> values);

// Two-sided p-value of "the means are the same". A sample of one value is taken to vary as the other one does. NaN if
// both have one value, or if no value varies: nothing is known about chance then.
double welch_test(std::span<const double> first, std::span<const double> second);

}  // namespace verbund
