// SPDX-License-Identifier: Apache-2.0
// Sections on the configuration, environment and commands of the run.
#include <fmt/format.h>

#include <map>
#include <numeric>

#include "config/settings.h"
#include "core/human.h"
#include "core/json.h"
#include "data/dataset_record.h"
#include "page/number_format.h"
#include "report/json_values.h"
#include "report/layouts.h"
#include "report/run_page.h"
#include "statistics/quantile.h"

namespace verbund {
namespace {

std::string ranks_text(const std::vector<int>& ranks) {
  std::string text;
  for (const int rank : ranks) text += (text.empty() ? "" : ", ") + std::to_string(rank);
  return text;
}

std::string number_text(double value) { return is_known(value) ? human_number(value) : ""; }

Table hosts_table(const RunData& run) {
  Table table;
  table.id = "hosts";
  table.columns = {{"host"}, {"processor"}, {"cores", true}, {"memory", true}, {"threads each", true}, {"workers"}};
  for (const HostFacts& host : run.hosts) {
    table.rows.push_back(
        {host.name,
         host.processor,
         {number_text(host.cores), host.cores},
         {is_known(host.memory_bytes) ? human_bytes(static_cast<uint64_t>(host.memory_bytes)) : "", host.memory_bytes},
         {number_text(host.threads_per_worker), host.threads_per_worker},
         ranks_text(host.workers)});
  }
  return table;
}

// "verbund launch -H a:2,b:2 -- ", which precedes the workers' command.
std::string launch_prefix(const std::vector<HostFacts>& hosts) {
  size_t workers = 0;
  std::string list;
  for (const HostFacts& host : hosts) {
    workers += host.workers.size();
    list += fmt::format("{}{}:{}", list.empty() ? "" : ",", host.name, host.workers.size());
  }
  if (workers < 2) return "";
  return hosts.size() < 2 ? fmt::format("verbund launch -n {} -- ", workers)
                          : fmt::format("verbund launch -H {} -- ", list);
}

// One row for each start that has steps which count, of a run whose layout changed.
Table starts_table(const RunData& run) {
  Table table;
  table.id = "starts";
  table.columns = {{"start", true}, {"began"}, {"steps"}, {"workers"}, {"median step", true}, {"tokens/s", true}};
  const std::map<int, StepRange> steps = steps_by_start(run);
  std::map<int, std::vector<double>> seconds;
  std::map<int, double> tokens;
  for (const RankSteps& rank : run.ranks) {
    rank.for_each_kept([&](const StepRecord& record) {
      const auto start = static_cast<int>(record.start);
      tokens[start] += record.tokens;
      if (rank.rank == 0) seconds[start].push_back(record.seconds);
    });
  }
  for (const StartFacts& start : run.starts) {
    const auto found = steps.find(start.number);
    if (found == steps.end()) continue;
    const Layout layout = {start.hosts, {start.number}, {found->second}, found->second.count()};
    const std::vector<double>& own = seconds[start.number];
    const double median_step = own.empty() ? kNotKnown : median(own);
    const double rate = own.empty() ? kNotKnown : tokens[start.number] / std::accumulate(own.begin(), own.end(), 0.0);
    table.rows.push_back({{std::to_string(start.number + 1), start.number + 1.0},
                          moment_text(start.began),
                          layout.steps_text(),
                          layout.hosts.empty() ? "" : layout.text() + layout.threads_text(),
                          {is_known(median_step) ? short_seconds(median_step) : "", median_step},
                          {number_text(rate), rate}});
  }
  return table;
}

// The command that made each dataset folder.
std::string prepare_commands(const RunData& run) {
  std::string text;
  for (const FolderRecord& folder : read_dataset_record(object_at(run.record, "dataset")).folders) {
    if (!folder.command.empty()) {
      text += shell_line(folder.command) + "\n";
    } else if (!folder.path.empty()) {
      text += fmt::format("# {}: the command that made it is not on record\n", folder.path);
    }
  }
  return text;
}

// A sentence about whether the commands reproduce the model.
std::string promise(const RunData& run, size_t commands, bool is_forced) {
  if (is_forced) {
    return "These commands made the model. Whether they would make the same one again is unknown: the run was resumed "
           "although something differed from before, as the section on faults says.";
  }
  const bool is_tuned = run.config && starts_trained(run.config->train);
  return fmt::format(
      "The same program, data, {}configuration, seed and number of workers give the same model, bit for "
      "bit{}.",
      is_tuned ? "model to start from, " : "",
      commands > 1 ? ", if each command ends at the step at which it ended here" : "");
}

}  // namespace

Section configuration_section(const RunData& run) {
  Section section = {"configuration", "Configuration", {}};
  if (run.config) {
    Table table;
    table.id = "configuration";
    table.columns = {{"key"}, {"value"}, {"default"}, {"meaning", false, true}};
    for (const ChangedSetting& changed : changed_settings(*run.config)) {
      table.rows.push_back({changed.setting.key, changed.setting.value, changed.usual, changed.setting.meaning});
    }
    section.blocks.push_back(Paragraph{
        table.rows.empty() ? "Everything is at its default."
                           : "Settings that differ from the defaults, which verbund config --explain lists."});
    if (!table.rows.empty()) section.blocks.push_back(table);
  }
  if (const Json& imported = object_at(run.record, "imported"); !imported.empty()) {
    section.blocks.push_back(
        Paragraph{fmt::format("Imported from {} ({}).", text_at(imported, "source"), text_at(imported, "kind"))});
    if (const auto unknown = words_at(imported, "unknown"); !unknown.empty()) {
      section.blocks.push_back(Paragraph{"Unknown: " + list_text(unknown) + "."});
    }
  }
  if (const std::string text = text_at(run.record, "config_text"); !text.empty()) section.blocks.push_back(Code{text});
  return section;
}

Section environment_section(const RunData& run) {
  Section section = {"environment", "Environment", {}};
  if (!run.hosts.empty()) section.blocks.push_back(hosts_table(run));
  if (layouts_of(run).size() > 1) section.blocks.push_back(starts_table(run));
  Table table;
  table.id = "environment";
  table.columns = {{"what"}, {"value"}};
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) table.rows.push_back({name, value});
  };
  const Json &start = last_start(run), &dataset = object_at(run.record, "dataset");
  add("program", text_at(start, "program"));
  add("MPI", text_at(start, "mpi"));
  if (const auto hosts = start.find("hosts"); hosts != start.end() && hosts->is_array() && !hosts->empty()) {
    for (const char* key : {"system", "kernels", "device", "precision"}) add(key, text_at(hosts->front(), key));
  }
  add("run folder", text_at(start, "folder"));
  for (const FolderRecord& folder : read_dataset_record(dataset).folders) add("dataset", folder.path);
  add("dataset's checksum", text_at(dataset, "checksum"));
  add("dataset made by", text_at(object_at(dataset, "provenance"), "program"));
  add("run", text_at(run.record, "id"));
  for (const HistoryEvent& event : run.history) {
    if (event.event != "clock" || event.start != (run.history.empty() ? 0 : run.history.back().start)) continue;
    table.rows.push_back({fmt::format("clock of worker {}", number_text(number_at(event.line, "worker"))),
                          fmt::format("offset {} s, exact to {} s", human_number(number_at(event.line, "offset")),
                                      human_number(number_at(event.line, "bound")))});
  }
  if (!table.rows.empty()) section.blocks.push_back(table);
  return section;
}

Section commands_section(const RunData& run) {
  Section section = {"commands", "To make it again", {}};
  std::string text = prepare_commands(run);
  bool is_forced = false;
  size_t commands = 0;
  std::string before, ended;  // the command before, and how its last start ended
  for (const StartFacts& start : run.starts) {
    const bool forces = !start.differences.empty();
    is_forced = is_forced || forces;
    if (start.command.empty()) continue;
    const std::string launch = launch_prefix(start.hosts.empty() ? run.hosts : start.hosts);
    const auto first = start.command.begin() + (launch.empty() ? 0 : 1);  // launch knows the program
    const std::string command = launch + shell_line({first, start.command.end()});
    if (command != before || forces) {  // else it only resumes
      if (commands++ > 0) {
        text += fmt::format("# from step {} on{}\n", counted(static_cast<double>(start.step + 1)),
                            ended.empty() ? "" : "; before that: " + ended);
      }
      text += command + "\n";
    }
    before = command;
    ended = start.reason;
  }
  if (text.empty()) return section;
  section.blocks.push_back(Paragraph{promise(run, commands, is_forced)});
  section.blocks.push_back(Code{text});
  return section;
}

}  // namespace verbund
