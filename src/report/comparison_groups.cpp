// SPDX-License-Identifier: Apache-2.0
// Groups of a comparison: runs of one setting, and how far their results differ.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "config/settings.h"
#include "page/number_format.h"
#include "report/comparison.h"
#include "report/json_values.h"
#include "statistics/two_samples.h"

namespace verbund {
namespace {

// Whatever decides the result, except the seed, as one text.
std::string setting_text(const RunData& run) {
  std::string text = text_at(object_at(run.record, "dataset"), "checksum") + "\n" + text_at(last_start(run), "program");
  for (const Setting& setting : settings_of(*run.config)) {
    if (setting.key != "seed") text += "\n" + setting.key + "=" + setting.value;
  }
  return text;
}

std::string range_text(const std::vector<double>& values, int decimals) {
  const auto [low, high] = std::ranges::minmax(values);
  const std::string from = with_commas(low, decimals), to = with_commas(high, decimals);
  return from == to ? from : from + " to " + to;
}

std::vector<double> best_values(const NamedRuns& runs, const char* metric) {
  std::vector<double> values;
  for (const NamedRun& each : runs) values.push_back(best_of(*each.run, metric, true).value);
  return finite(values);
}

// "BLEU 9.41 to 14.99 (3 seeds: mean 11.47, standard deviation 3.06)"; "" if no run has the metric.
std::string spread_text(const RunGroup& group, const char* name, const char* metric) {
  const std::vector<double> all = best_values(group.runs, metric), seeds = best_values(group.seeds, metric);
  if (all.empty()) return "";
  std::string text = fmt::format("{} {}", name, range_text(all, 2));
  if (seeds.size() > 1) {
    text +=
        fmt::format(" ({} seeds: mean {:.2f}, standard deviation {:.2f})", seeds.size(), mean(seeds), deviation(seeds));
  }
  return text;
}

Verdict spread_of(const RunGroup& group, size_t number) {
  const bool two = group.runs.size() == 2;
  Verdict verdict = ask(fmt::format("seeds_{}", number),
                        fmt::format("Which of {} is {}?", group.names(), two ? "better" : "the best"));
  verdict.rule =
      "Runs of the same configuration, dataset and program are one group and are not ranked: which seed comes out "
      "first is chance. Runs of the same seed count once.";
  verdict.would_change = "Another setting, trained with several seeds, can be better than this one.";
  const char* none = two ? "Neither" : "None";
  verdict.sentence = group.seeds.size() == group.runs.size() ? fmt::format("{}: they differ in the seed alone.", none)
                     : group.seeds.size() == 1
                         ? fmt::format("{}: their settings and their seed are the same.", none)
                         : fmt::format("{}: they differ in the seed at most, and each seed counts once.", none);
  const std::string bleu_text = spread_text(group, "BLEU", "dev_bleu");
  const std::string chrf_text = spread_text(group, "chrF", "dev_chrf");
  if (!bleu_text.empty()) {
    verdict.sentence += fmt::format(" {}{}{}.", bleu_text, chrf_text.empty() ? "" : "; ", chrf_text);
    const std::vector<double> bleu = best_values(group.seeds, "dev_bleu");
    if (std::ranges::max(best_values(group.runs, "dev_bleu")) < kTranslates) {
      verdict.finding = Grade::kBad;
      verdict.sentence += fmt::format(" {} translates yet: BLEU is below {}.", none, kTranslates);
    }
    verdict.add("mean BLEU", mean(bleu), "");
    if (bleu.size() > 1) verdict.add("standard deviation of BLEU", deviation(bleu), "");
  }
  std::vector<double> steps;
  for (const NamedRun& each : group.runs) steps.push_back(static_cast<double>(each.run->last_step()));
  if (std::ranges::min(steps) != std::ranges::max(steps)) {
    verdict.sentence += fmt::format(" They have trained for different numbers of steps: {}.", range_text(steps, 0));
  }
  verdict.add("runs", static_cast<double>(group.runs.size()), "");
  verdict.add("seeds", static_cast<double>(group.seeds.size()), "");
  return verdict;
}

}  // namespace

std::string RunGroup::names() const {
  std::vector<std::string> all;
  for (const NamedRun& each : runs) all.push_back(each.name);
  return list_text(all);
}

std::vector<RunGroup> groups_of(const NamedRuns& runs) {
  std::vector<RunGroup> groups;
  std::map<std::string, size_t> place;
  for (const NamedRun& each : runs) {
    const size_t next = groups.size();
    const size_t found = each.run->config ? place.try_emplace(setting_text(*each.run), next).first->second : next;
    if (found == next) groups.emplace_back();
    RunGroup& group = groups[found];
    group.runs.push_back(each);
    const bool new_seed = std::ranges::none_of(group.seeds, [&](const NamedRun& other) {
      return other.run->config->seed == each.run->config->seed;  // a run without a configuration has no others
    });
    if (new_seed) group.seeds.push_back(each);
  }
  return groups;
}

std::vector<Verdict> group_verdicts(const std::vector<RunGroup>& groups) {
  std::vector<Verdict> verdicts;
  for (const RunGroup& group : groups) {
    if (group.runs.size() > 1) verdicts.push_back(spread_of(group, verdicts.size() + 1));
  }
  return verdicts;
}

}  // namespace verbund
