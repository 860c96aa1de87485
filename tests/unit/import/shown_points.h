// SPDX-License-Identifier: Apache-2.0
// Imported points as short texts, for comparison.
#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "import/imported_run.h"

namespace verbund {

// "key step value"
inline std::vector<std::string> shown(const std::vector<ImportedPoint>& points) {
  std::vector<std::string> list;
  for (const ImportedPoint& point : points) list.push_back(fmt::format("{} {} {}", point.key, point.step, point.value));
  return list;
}

// "key step value time"
inline std::vector<std::string> shown_with_time(const std::vector<ImportedPoint>& points) {
  std::vector<std::string> list = shown(points);
  for (size_t i = 0; i < points.size(); ++i) list[i] += fmt::format(" {}", points[i].time);
  return list;
}

}  // namespace verbund
