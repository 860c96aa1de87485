// SPDX-License-Identifier: Apache-2.0
#include "core/wall_clock.h"

#include <sys/stat.h>

#include <charconv>
#include <ctime>
#include <limits>

namespace verbund {

std::string utc_time(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts = {};
  ::gmtime_r(&seconds, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

double parse_utc_time(std::string_view text) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  constexpr std::string_view kForm = "0000-00-00T00:00:00";
  if (text.size() <= kForm.size() || text.back() != 'Z') return kNone;
  for (size_t i = 0; i < kForm.size(); ++i) {
    if (kForm[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != kForm[i]) return kNone;
  }
  const auto number = [&](size_t from, size_t length) {
    int value = 0;
    std::from_chars(text.data() + from, text.data() + from + length, value);
    return value;
  };
  std::tm parts = {};
  parts.tm_year = number(0, 4) - 1900;
  parts.tm_mon = number(5, 2) - 1;
  parts.tm_mday = number(8, 2);
  parts.tm_hour = number(11, 2);
  parts.tm_min = number(14, 2);
  parts.tm_sec = number(17, 2);
  double fraction = 0;
  if (const std::string_view rest = text.substr(kForm.size(), text.size() - kForm.size() - 1); !rest.empty()) {
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), fraction);
    if (rest.front() != '.' || error != std::errc() || end != rest.data() + rest.size()) return kNone;
  }
  return static_cast<double>(::timegm(&parts)) + fraction;
}

std::string time_of_file(const std::filesystem::path& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) return "";
  return utc_time(std::chrono::system_clock::from_time_t(status.st_mtime));
}

}  // namespace verbund
