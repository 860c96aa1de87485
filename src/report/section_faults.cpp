// What went wrong, and that the run went on.
#include <fmt/format.h>

#include <map>

#include "report/json_values.h"
#include "report/sections.h"
#include "report/ticks.h"
#include "report/words.h"

namespace verbund {
namespace {

// What happened in words; "" if it is no fault.
std::string fault_text(const HistoryEvent& event) {
  const std::string& name = event.event;
  if (name == "resume") return "went on from step " + human_number(number_at(event.line, "from_step"));
  if (name == "signal") return "stopped by " + text_at(event.line, "signal");
  if (name == "stall") return "stood still: " + text_at(event.line, "message");
  if (name == "goes_on") return "went on";
  if (name == "lost_worker") return "lost a worker: " + text_at(event.line, "message");
  if (name == "restart")
    return fmt::format("started again by launch, number {}: {}", text_at(event.line, "number"),
                       text_at(event.line, "reason"));
  if (name == "roll_back") {
    return fmt::format("rolled back from step {} to {}, rate times {}: {}",
                       human_number(number_at(event.line, "from_step")), human_number(number_at(event.line, "to_step")),
                       human_number(number_at(event.line, "rate_factor")), text_at(event.line, "reason"));
  }
  if (name == "diverged" || name == "fail")
    return (name == "fail" ? "failed: " : "diverged: ") + text_at(event.line, "reason");
  if (name == "dropped") {
    return fmt::format("{} of worker {} did not reach the record",
                       counted(number_at(event.line, "messages"), "message", "messages"),
                       text_at(event.line, "worker"));
  }
  return "";
}

// Of runs that have no history: their starts tell that much.
std::vector<std::vector<Cell>> rows_of_starts(const RunData& run) {
  std::vector<std::vector<Cell>> rows;
  for (size_t i = 1; i < run.starts.size(); ++i) {
    const StartFacts& before = run.starts[i - 1];
    rows.push_back({moment_text(run.starts[i].began),
                    {human_number(static_cast<double>(run.starts[i].step)), static_cast<double>(run.starts[i].step)},
                    "",
                    fmt::format("started again; before that: {}", before.reason.empty() ? "killed" : before.reason)});
  }
  return rows;
}

}  // namespace

Section faults_section(const RunData& run) {
  Section section = {"faults", "Faults survived", {}};
  if (run.imported) return section;
  Table table;
  table.id = "faults";
  table.columns = {{"time"}, {"step", true}, {"worker"}, {"what happened"}};
  for (const HistoryEvent& event : run.history) {
    const std::string text = fault_text(event);
    if (text.empty()) continue;
    const double step = static_cast<double>(event.step);
    table.rows.push_back({moment_text(event.at),
                          {human_number(step), step},
                          fmt::format("{}{}{}", event.rank, event.host.empty() ? "" : " on ", event.host),
                          text});
  }
  if (run.history.empty()) table.rows = rows_of_starts(run);
  if (table.rows.empty()) {
    section.blocks.push_back(Paragraph{"None: the run went through from its start without a fault."});
    return section;
  }
  constexpr size_t kRowsAtOnce = 40;
  if (table.rows.size() > kRowsAtOnce) table.folded = fmt::format("All {} events", table.rows.size());
  section.blocks.push_back(table);
  return section;
}

}  // namespace verbund
