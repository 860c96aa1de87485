// SPDX-License-Identifier: Apache-2.0
#include "report/comparison.h"

#include <fmt/format.h>

#include <set>

#include "core/wall_clock.h"
#include "page/number_format.h"

namespace verbund {
namespace {

// The names of their folders, or the paths if names are not unique.
NamedRuns named(const std::vector<RunData>& runs) {
  std::multiset<std::string> names;
  for (const RunData& run : runs) names.insert(run.name);
  NamedRuns result;
  for (const RunData& run : runs) result.push_back({names.count(run.name) > 1 ? run.folder.string() : run.name, &run});
  return result;
}

}  // namespace

Page comparison_page(const std::vector<RunData>& runs, const std::string& program) {
  const NamedRuns all = named(runs);
  Page page;
  page.kind = fmt::format("Comparison of {} runs", runs.size());
  std::vector<std::string> names;
  for (const NamedRun& run : all) names.push_back(run.name);
  page.title = list_text(names);
  for (const NamedRun& each : all) {
    page.facts.push_back({each.name, counted(static_cast<double>(each.run->last_step()), "step", "steps")});
    for (const std::string& note : each.run->notes) page.notes.push_back(each.name + ": " + note);
  }
  const std::vector<RunGroup> groups = groups_of(all);
  for (const std::vector<Verdict>& verdicts :
       {better_verdicts(groups), group_verdicts(groups), first_differences(all)}) {
    page.verdicts.insert(page.verdicts.end(), verdicts.begin(), verdicts.end());
  }
  for (const Section& section : {results_section(all), differences_section(all), curves_section(all)}) {
    if (!section.blocks.empty()) page.sections.push_back(section);
  }
  page.made = fmt::format("Made by {} at {}.", program, utc_time());
  return page;
}

}  // namespace verbund
