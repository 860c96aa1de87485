// What all verdicts are put into words with.
#pragma once

#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <string>
#include <utility>

#include "report/verdict.h"
#include "statistics/quantile.h"

namespace verbund {

// "How long did the run take?" -> the frame of its verdict.
inline Verdict ask(std::string id, std::string question) {
  Verdict verdict;
  verdict.id = std::move(id);
  verdict.question = std::move(question);
  return verdict;
}

// The reason goes on after "Cannot tell, because ".
inline Verdict& cannot_tell(Verdict& verdict, const std::string& reason) {
  verdict.finding = Grade::kCannotTell;
  verdict.sentence = "Cannot tell, because " + reason;
  return verdict;
}

inline std::string percent(double share) {
  return fmt::format("{:.{}f} %", 100 * share, std::abs(share) < 0.0995 ? 1 : 0);
}

// "p = 0.012", "p < 0.001"
inline std::string p_value(double p) {
  return p < 0.001 ? "p < 0.001" : fmt::format("p = {:.{}f}", p, p < 0.1 ? 3 : 2);
}

// With a capital letter, as sentences begin.
inline std::string capital(std::string text) {
  if (!text.empty()) text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

// 300000 -> "300,000": steps, pairs and whatever else is counted.
std::string counted(double value);
// Three digits that matter, without an exponent where it can be read without: 0.00123, 1.23, 123, 12,300.
std::string short_number(double value);
// "340 ms", "1.62 s", "2 h 10 min"
std::string short_seconds(double seconds);
// "812 Mbit/s (102 MB/s)": both, for they are often mixed up.
std::string bit_rate(double bytes_per_second);

inline Figure figure(std::string name, double value, std::string unit) {
  return {std::move(name), value, std::move(unit), std::nullopt, std::nullopt, ""};
}
inline Figure figure(std::string name, double value, std::string unit, Bounds bounds, std::string interval) {
  return {std::move(name), value, std::move(unit), bounds.low, bounds.high, std::move(interval)};
}

}  // namespace verbund
