// The normal and Student's distribution, as far as intervals and tests need them.
#pragma once

namespace verbund {

double normal_cumulative(double z);
double normal_quantile(double share);  // 0 < share < 1
double student_cumulative(double t, double degrees);
double student_quantile(double share, double degrees);  // degrees of freedom >= 1

}  // namespace verbund
