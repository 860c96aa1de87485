// SPDX-License-Identifier: Apache-2.0
// Numbers for the page, as JSON: those that are not known are null, and none has more digits than can be seen.
#pragma once

#include <charconv>
#include <cmath>
#include <vector>

#include "core/json.h"

namespace verbund {

inline Json json_number(double value) {
  if (!std::isfinite(value)) return nullptr;
  if (value == std::trunc(value) && std::abs(value) < 1e15) return static_cast<int64_t>(value);
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::general, 7).ptr;
  std::from_chars(text, end, value);
  return value;
}

// Seconds since 1970, which need more digits.
inline Json json_time(double seconds) {
  return std::isfinite(seconds) ? Json(std::round(seconds * 1000) / 1000) : Json(nullptr);
}

inline Json json_numbers(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(json_number(value));
  return list;
}

}  // namespace verbund
