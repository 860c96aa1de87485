// With what, on what and by which commands the run was made.
#include <fmt/format.h>

#include "config/settings.h"
#include "core/human.h"
#include "report/json_values.h"
#include "report/sections.h"
#include "report/ticks.h"
#include "report/words.h"

namespace verbund {
namespace {

using Json = nlohmann::ordered_json;

const Json* object_at(const Json& json, const char* key) {
  if (!json.is_object()) return nullptr;
  const auto found = json.find(key);
  return found != json.end() && found->is_object() ? &*found : nullptr;
}

const Json* last_start(const RunData& run) {
  if (!run.record.is_object()) return nullptr;
  const auto starts = run.record.find("starts");
  return starts != run.record.end() && starts->is_array() && !starts->empty() && starts->back().is_object()
             ? &starts->back()
             : nullptr;
}

std::vector<std::string> words_at(const Json& json, const char* key) {
  std::vector<std::string> words;
  const auto found = json.is_object() ? json.find(key) : json.end();
  if (!json.is_object() || found == json.end() || !found->is_array()) return words;
  for (const Json& word : *found) {
    if (word.is_string()) words.push_back(word.get<std::string>());
  }
  return words;
}

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
                           : "What differs from the defaults; everything else is as verbund config --explain has it."});
    if (!table.rows.empty()) section.blocks.push_back(table);
  }
  if (const Json* imported = object_at(run.record, "imported")) {
    section.blocks.push_back(
        Paragraph{fmt::format("Imported from {} ({}).", text_at(*imported, "source"), text_at(*imported, "kind"))});
    if (const auto unknown = words_at(*imported, "unknown"); !unknown.empty()) {
      section.blocks.push_back(Paragraph{"Not known: " + list_text(unknown) + "."});
    }
  }
  if (const std::string text = text_at(run.record, "config_text"); !text.empty()) section.blocks.push_back(Code{text});
  return section;
}

Section environment_section(const RunData& run) {
  Section section = {"environment", "Environment", {}};
  if (!run.hosts.empty()) section.blocks.push_back(hosts_table(run));
  Table table;
  table.id = "environment";
  table.columns = {{"what"}, {"value"}};
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) table.rows.push_back({name, value});
  };
  if (const Json* start = last_start(run)) {
    add("program", text_at(*start, "program"));
    add("MPI", text_at(*start, "mpi"));
    const auto hosts = start->find("hosts");
    if (hosts != start->end() && hosts->is_array() && !hosts->empty()) {
      add("system", text_at(hosts->front(), "system"));
      add("kernels", text_at(hosts->front(), "kernels"));
      add("device", text_at(hosts->front(), "device"));
      add("precision", text_at(hosts->front(), "precision"));
    }
    add("run folder", text_at(*start, "folder"));
  }
  if (const Json* dataset = object_at(run.record, "dataset")) {
    add("dataset", text_at(*dataset, "path"));
    add("dataset's checksum", text_at(*dataset, "checksum"));
    if (const Json* made = object_at(*dataset, "provenance")) add("dataset made by", text_at(*made, "program"));
  }
  add("run", text_at(run.record, "id"));
  for (const HistoryEvent& event : run.history) {
    if (event.event != "clock" || event.start != (run.history.empty() ? 0 : run.history.back().start)) continue;
    table.rows.push_back({fmt::format("clock of worker {}", number_text(number_at(event.line, "worker"))),
                          fmt::format("{} s added, right to {} s", human_number(number_at(event.line, "offset")),
                                      human_number(number_at(event.line, "bound")))});
  }
  if (!table.rows.empty()) section.blocks.push_back(table);
  return section;
}

// "verbund launch -H a:2,b:2 -- ", in front of what every worker was started with.
std::string launch_prefix(const RunData& run) {
  if (run.workers() < 2) return "";
  if (run.hosts.size() < 2) return fmt::format("verbund launch -n {} -- ", run.workers());
  std::string hosts;
  for (const HostFacts& host : run.hosts) {
    hosts += fmt::format("{}{}:{}", hosts.empty() ? "" : ",", host.name, host.workers.size());
  }
  return fmt::format("verbund launch -H {} -- ", hosts);
}

Section commands_section(const RunData& run) {
  Section section = {"commands", "To make it again", {}};
  std::string text;
  if (const Json* dataset = object_at(run.record, "dataset")) {
    if (const Json* made = object_at(*dataset, "provenance")) {
      if (const auto words = words_at(*made, "command"); !words.empty()) text += shell_command(words) + "\n";
    }
  }
  for (const StartFacts& start : run.starts) {
    if (start.command.empty()) continue;
    const std::string launch = launch_prefix(run);
    const auto first = start.command.begin() + (launch.empty() ? 0 : 1);  // launch knows its own program
    text += launch + shell_command({first, start.command.end()}) + "\n";
    break;
  }
  if (text.empty()) return section;
  section.blocks.push_back(
      Paragraph{"The same program, data, configuration, seed and number of workers make the same model, to the bit."});
  section.blocks.push_back(Code{text});
  return section;
}

}  // namespace verbund
