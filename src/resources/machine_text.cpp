// SPDX-License-Identifier: Apache-2.0
#include "resources/machine_text.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace verbund {
namespace {

constexpr uint64_t kSectorBytes = 512;  // in /proc/diskstats, whatever the disk's sectors are

// Removes the text up to `end` and `end` itself; returns the text without it.
std::string_view take(std::string_view& rest, char end) {
  const size_t size = rest.find(end);
  const std::string_view taken = rest.substr(0, size);
  rest.remove_prefix(size == std::string_view::npos ? rest.size() : size + 1);
  return taken;
}

std::vector<std::string_view> words_of(std::string_view line) {
  constexpr const char* kBlanks = " \t\n";
  std::vector<std::string_view> words;
  while ((line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size())), !line.empty())) {
    words.push_back(line.substr(0, line.find_first_of(kBlanks)));
    line.remove_prefix(words.back().size());
  }
  return words;
}

template <typename Number>
std::optional<Number> number(std::string_view word) {
  Number value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return {};
  return value;
}

// The words from `first` on, up to the first that is not a number.
std::vector<uint64_t> counters(const std::vector<std::string_view>& words, size_t first) {
  std::vector<uint64_t> values;
  for (size_t i = first; i < words.size(); ++i) {
    const auto value = number<uint64_t>(words[i]);
    if (!value) break;
    values.push_back(*value);
  }
  return values;
}

std::optional<double> finite(std::optional<double> value) {
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<CpuTicks> parse_cpu_line(std::string_view line, std::string_view name) {
  const auto words = words_of(line);
  if (words.empty() || words[0] != name) return {};
  const auto ticks = counters(words, 1);  // user nice system idle iowait irq softirq steal; time of guests is in user
  if (ticks.size() < 8) return {};
  return CpuTicks{ticks[0] + ticks[1], ticks[2] + ticks[5] + ticks[6], ticks[4], ticks[7], ticks[3]};
}

}  // namespace

std::optional<ProcessStat> parse_process_stat(std::string_view text) {
  const size_t name_end = text.rfind(')');  // the program's name may hold anything
  if (name_end == std::string_view::npos) return {};
  const auto words = words_of(text.substr(name_end + 1));  // the first of them is field 3
  if (words.size() < 22) return {};
  const auto threads = number<uint64_t>(words[17]), resident = number<uint64_t>(words[21]);
  if (!threads || !resident) return {};
  return ProcessStat{*threads, *resident};
}

std::optional<CpuTicks> parse_cpu_ticks(std::string_view text) { return parse_cpu_line(take(text, '\n'), "cpu"); }

std::optional<CpuTicks> parse_cpu_ticks(std::string_view text, int core) {
  const std::string name = fmt::format("cpu{}", core);
  while (!text.empty()) {
    if (const auto ticks = parse_cpu_line(take(text, '\n'), name)) return ticks;
  }
  return {};
}

std::optional<uint64_t> parse_available_memory(std::string_view text) {
  while (!text.empty()) {
    const auto words = words_of(take(text, '\n'));
    if (words.size() != 3 || words[0] != "MemAvailable:" || words[2] != "kB") continue;
    const auto kibibytes = number<uint64_t>(words[1]);
    return kibibytes ? std::optional(*kibibytes * 1024) : std::nullopt;
  }
  return {};
}

std::optional<double> parse_pressure(std::string_view text) {
  constexpr std::string_view kKey = "avg10=";
  const auto words = words_of(take(text, '\n'));
  if (words.size() < 2 || words[0] != "some" || !words[1].starts_with(kKey)) return {};
  const auto percent = finite(number<double>(words[1].substr(kKey.size())));
  return percent ? std::optional(*percent / 100) : std::nullopt;
}

std::optional<double> parse_load(std::string_view text) {
  const auto words = words_of(text);
  return words.size() < 3 ? std::nullopt : finite(number<double>(words[0]));
}

std::optional<double> parse_thousandths(std::string_view text) {
  const auto words = words_of(text);
  const auto value = words.size() == 1 ? number<int64_t>(words[0]) : std::nullopt;
  return value ? std::optional(static_cast<double>(*value) / 1000) : std::nullopt;
}

std::vector<InterfaceCounters> parse_interfaces(std::string_view text) {
  std::vector<InterfaceCounters> interfaces;
  while (!text.empty()) {
    std::string_view line = take(text, '\n');
    const size_t colon = line.rfind(':');  // the last one: the name of an alias contains a colon
    if (colon == std::string_view::npos) continue;
    const auto name = words_of(line.substr(0, colon));
    const auto counts = counters(words_of(line.substr(colon + 1)), 0);
    if (name.size() != 1 || counts.size() < 10) continue;
    interfaces.push_back({std::string(name[0]), counts[0], counts[1], counts[8], counts[9]});
  }
  return interfaces;
}

std::vector<DiskCounters> parse_disks(std::string_view text) {
  std::vector<DiskCounters> disks;
  while (!text.empty()) {
    const auto words = words_of(take(text, '\n'));
    if (words.size() < 10) continue;
    const auto counts = counters(words, 3);
    if (counts.size() < 7) continue;
    disks.push_back({std::string(words[2]), counts[2] * kSectorBytes, counts[6] * kSectorBytes});
  }
  return disks;
}

}  // namespace verbund
