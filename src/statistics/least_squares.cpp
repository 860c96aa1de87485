// SPDX-License-Identifier: Apache-2.0
#include "statistics/least_squares.h"

#include <cmath>

#include "statistics/quantile.h"

namespace verbund {
namespace {

using Matrix = std::vector<std::vector<double>>;

// The inverse of a correlation matrix by Gauss-Jordan elimination with pivoting; nothing if a pivot vanishes. The
// diagonal of the matrix is 1, so pivots can be judged by their size.
std::optional<Matrix> inverse(Matrix matrix) {
  const size_t n = matrix.size();
  Matrix result(n, std::vector<double>(n));
  for (size_t i = 0; i < n; ++i) result[i][i] = 1;
  for (size_t column = 0; column < n; ++column) {
    size_t pivot = column;
    for (size_t row = column + 1; row < n; ++row) {
      if (std::abs(matrix[row][column]) > std::abs(matrix[pivot][column])) pivot = row;
    }
    if (std::abs(matrix[pivot][column]) < 1e-9) return std::nullopt;
    std::swap(matrix[pivot], matrix[column]);
    std::swap(result[pivot], result[column]);
    const double factor = 1 / matrix[column][column];
    for (size_t k = 0; k < n; ++k) {
      matrix[column][k] *= factor;
      result[column][k] *= factor;
    }
    for (size_t row = 0; row < n; ++row) {
      const double times = matrix[row][column];
      if (row == column || times == 0) continue;
      for (size_t k = 0; k < n; ++k) {
        matrix[row][k] -= times * matrix[column][k];
        result[row][k] -= times * result[column][k];
      }
    }
  }
  return result;
}

struct Standardised {
  std::vector<double> values;
  double mean = 0, deviation = 0;  // deviation: root of the sum of squares
};

Standardised standardise(std::span<const double> values) {
  Standardised result{{values.begin(), values.end()}, mean(values), 0};
  for (double& value : result.values) {
    value -= result.mean;
    result.deviation += value * value;
  }
  result.deviation = std::sqrt(result.deviation);
  for (double& value : result.values) value /= result.deviation;
  return result;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

std::optional<Regression> least_squares(const std::vector<std::vector<double>>& regressors, std::span<const double> y,
                                        double coverage) {
  const size_t rows = y.size(), count = regressors.size();
  if (count == 0 || rows < count + 3) return std::nullopt;
  const Standardised target = standardise(y);
  std::vector<Standardised> columns;
  for (const std::vector<double>& column : regressors) {
    columns.push_back(standardise(column));
    const double scale = std::abs(columns.back().mean) * std::sqrt(static_cast<double>(rows));
    if (!(columns.back().deviation > 1e-9 * scale)) return std::nullopt;
  }
  if (!(target.deviation > 0)) return std::nullopt;

  Matrix correlations(count, std::vector<double>(count));
  for (size_t i = 0; i < count; ++i) {
    for (size_t j = 0; j < count; ++j) correlations[i][j] = dot(columns[i].values, columns[j].values);
  }
  const std::optional<Matrix> inverted = inverse(correlations);
  if (!inverted) return std::nullopt;

  std::vector<double> slopes(count);
  double explained = 0;
  for (size_t i = 0; i < count; ++i) {
    for (size_t j = 0; j < count; ++j) slopes[i] += (*inverted)[i][j] * dot(columns[j].values, target.values);
    explained += slopes[i] * dot(columns[i].values, target.values);
  }
  const double degrees = static_cast<double>(rows - count - 1);
  const double variance = std::max(0.0, 1 - explained) / degrees;  // of the residuals, y having length 1
  const double t = student_quantile((1 + coverage) / 2, degrees);

  Regression result{{}, explained, std::sqrt(variance) * target.deviation};
  double constant = target.mean, constant_variance = 1 / static_cast<double>(rows);
  const auto add = [&](double value, double error) {
    result.coefficients.push_back({value, error, {value - t * error, value + t * error}});
  };
  add(0, 0);  // the constant, set below
  for (size_t i = 0; i < count; ++i) {
    const double unit = target.deviation / columns[i].deviation;
    add(slopes[i] * unit, std::sqrt(variance * (*inverted)[i][i]) * unit);
    constant -= slopes[i] * unit * columns[i].mean;
    for (size_t j = 0; j < count; ++j) {
      constant_variance +=
          columns[i].mean / columns[i].deviation * (*inverted)[i][j] * columns[j].mean / columns[j].deviation;
    }
  }
  const double error = std::sqrt(variance * constant_variance) * target.deviation;
  result.coefficients[0] = {constant, error, {constant - t * error, constant + t * error}};
  return result;
}

}  // namespace verbund
