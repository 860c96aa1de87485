#include "train/run_summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/human.h"

namespace verbund {
namespace {

std::string count(int64_t number) { return human_count(static_cast<uint64_t>(number)); }

std::string time_line(const RunSummary& summary) {
  const RunTimes& times = summary.times;
  const std::pair<const char*, double> parts[] = {{"training", times.steps.seconds - times.waiting},
                                                  {"evaluation", times.first_look + times.evaluations.seconds},
                                                  {"saving", times.saves.seconds},
                                                  {"waiting for data", times.waiting},
                                                  {"starting", times.starting}};
  std::string line;
  for (const auto& [name, seconds] : parts) {
    line += fmt::format("{}{:.1f} % {}", line.empty() ? "" : ", ", 100 * seconds / summary.wall_seconds, name);
  }
  return "  time   " + line;
}

std::string best_line(const RunSummary& summary) {
  static constexpr std::pair<const char*, const char*> kNames[] = {
      {"bleu", "BLEU"}, {"chrf", "chrF"}, {"loss", "loss"}};
  std::string line;
  for (const auto& [metric, name] : kNames) {
    const auto found = summary.best.find(metric);
    if (found == summary.best.end()) continue;
    const auto& [value, step] = found->second;
    line += fmt::format("{}{} {:.{}f} (step {})", line.empty() ? "" : ", ", name, value,
                        std::string(metric) == "loss" ? 4 : 2, count(step));
  }
  return line.empty() ? "" : "  best   " + line;
}

}  // namespace

std::vector<std::string> summary_lines(const RunSummary& summary) {
  std::vector<std::string> lines;
  lines.push_back(fmt::format("{}: {} steps{} in {}", summary.end, count(summary.steps),
                              summary.first_step > 0 ? ", from step " + count(summary.first_step) + " on" : "",
                              human_duration(summary.wall_seconds)));
  if (summary.wall_seconds > 0) lines.push_back(time_line(summary));
  if (const std::string best = best_line(summary); !best.empty()) lines.push_back(best);
  if (summary.model.empty()) return lines;
  lines.push_back("  model  " + summary.model);
  lines.push_back(fmt::format("  use    verbund translate -m {} < text.{} > text.{}", summary.run,
                              summary.source_language, summary.target_language));
  return lines;
}

}  // namespace verbund
