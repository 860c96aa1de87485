// SPDX-License-Identifier: Apache-2.0
// Tables of a comparison: differences between the runs, and their results.
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

struct Property {
  std::string name;
  std::vector<std::string> values;  // by run
};

std::string hosts_of(const RunData& run) {
  std::vector<std::string> hosts;
  for (const HostFacts& host : run.hosts) hosts.push_back(fmt::format("{} ({})", host.name, host.processor));
  return list_text(hosts);
}

std::vector<Property> properties(const NamedRuns& runs) {
  std::vector<std::pair<std::string, std::map<size_t, std::string>>> rows;
  std::map<std::string, size_t> place;
  const auto set = [&](size_t run, const std::string& name, std::string value) {
    const auto [found, is_new] = place.try_emplace(name, rows.size());
    if (is_new) rows.push_back({name, {}});
    rows[found->second].second[run] = std::move(value);
  };
  for (size_t i = 0; i < runs.size(); ++i) {
    const RunData& run = *runs[i].run;
    if (run.config) {
      for (Setting& setting : settings_of(*run.config)) set(i, setting.key, std::move(setting.value));
    }
    set(i, "dataset", text_at(object_at(run.record, "dataset"), "checksum"));
    set(i, "program", text_at(last_start(run), "program"));
    set(i, "MPI", text_at(last_start(run), "mpi"));
    set(i, "hosts", hosts_of(run));
    set(i, "workers", std::to_string(run.workers()));
  }
  std::vector<Property> result;
  for (const auto& [name, values] : rows) {
    Property property{name, std::vector<std::string>(runs.size())};
    for (const auto& [run, value] : values) property.values[run] = value;
    result.push_back(std::move(property));
  }
  return result;
}

bool differs(const Property& property) {
  return std::any_of(property.values.begin(), property.values.end(),
                     [&](const std::string& value) { return value != property.values[0]; });
}

struct QualityMeasure {
  const char *key, *name;
  bool highest;
  int decimals;
};
constexpr QualityMeasure kQualityMeasures[] = {{"dev_bleu", "best BLEU", true, 2},
                                               {"dev_chrf", "best chrF", true, 2},
                                               {"dev_cross_entropy", "best loss", false, 4},
                                               {"dev_loss", "best label-smoothed loss", false, 4}};

// "27.31 at step 1,000"
Cell best_cell(const RunData& run, const QualityMeasure& measure) {
  const BestValue best = best_of(run, measure.key, measure.highest);
  if (!is_known(best.value)) return {"-", kNotKnown};
  return {fmt::format("{:.{}f} at {}", best.value, measure.decimals, counted(static_cast<double>(best.step))),
          best.value};
}

Cell mean_cell(const NamedRuns& runs, const QualityMeasure& measure) {
  std::vector<double> values;
  for (const NamedRun& each : runs) values.push_back(best_of(*each.run, measure.key, measure.highest).value);
  values = finite(values);
  if (values.size() < 2) return {"-", kNotKnown};
  return {fmt::format("{:.{}f} ± {:.{}f}", mean(values), measure.decimals, deviation(values), measure.decimals),
          mean(values)};
}

// Seconds in steps, without those that were undone. A run shorter than train.log_every has logged no step.
double seconds_in_steps(const RunData& run) {
  if (const RankSteps* steps = run.steps_of(0); steps && steps->kept_count() > 0) {
    double seconds = 0;
    steps->for_each_kept([&](const StepRecord& record) { seconds += record.seconds; });
    return seconds;
  }
  const double seconds = make_ledger(run).part(TimeUse::kTraining);
  return seconds > 0 ? seconds : kNotKnown;
}

}  // namespace

Section differences_section(const NamedRuns& runs) {
  Section section = {"differences", "What differs", {}};
  Table table;
  table.id = "differences";
  table.columns = {{"what"}};
  for (const NamedRun& run : runs) table.columns.push_back({run.name});
  for (const Property& property : properties(runs)) {
    if (!differs(property)) continue;
    std::vector<Cell> row = {property.name};
    for (const std::string& value : property.values) row.emplace_back(value.empty() ? "-" : value);
    table.rows.push_back(std::move(row));
  }
  if (table.rows.empty()) {
    section.blocks.push_back(Paragraph{"Nothing: configuration, dataset, program and hosts are the same."});
  } else {
    section.blocks.push_back(Paragraph{"Everything else is the same: configuration, dataset, program and hosts."});
    section.blocks.push_back(table);
  }
  return section;
}

Section results_section(const NamedRuns& runs) {
  Section section = {"results", "Results", {}};
  Table table;
  table.id = "results";
  table.columns = {{"run"}};
  std::vector<QualityMeasure> measures;
  for (const QualityMeasure& measure : kQualityMeasures) {
    const bool known = std::any_of(runs.begin(), runs.end(),
                                   [&](const NamedRun& run) { return run.run->evaluations.has(measure.key); });
    if (!known) continue;
    measures.push_back(measure);
    table.columns.push_back({measure.name, true});
  }
  for (const char* name : {"steps", "training time"}) table.columns.push_back({name, true});
  for (const NamedRun& each : runs) {
    const RunData& run = *each.run;
    std::vector<Cell> row = {each.name};
    for (const QualityMeasure& measure : measures) row.push_back(best_cell(run, measure));
    const auto steps = static_cast<double>(run.last_step());
    const double seconds = seconds_in_steps(run);
    row.emplace_back(counted(steps), steps);
    row.emplace_back(duration_text(seconds), seconds);
    table.rows.push_back(std::move(row));
  }
  for (const RunGroup& group : groups_of(runs)) {
    if (group.seeds.size() < 2) continue;
    std::vector<Cell> row = {"mean ± deviation over seeds: " + group.names()};
    for (const QualityMeasure& measure : measures) row.push_back(mean_cell(group.seeds, measure));
    table.rows.push_back(std::move(row));
  }
  section.blocks.push_back(Paragraph{"Best values of each run, with their steps; not the last ones."});
  section.blocks.push_back(table);
  return section;
}

}  // namespace verbund
