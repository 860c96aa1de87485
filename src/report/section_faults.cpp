// SPDX-License-Identifier: Apache-2.0
// Section on the faults that the run survived.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "page/number_format.h"
#include "report/json_values.h"
#include "report/run_page.h"

namespace verbund {
namespace {

// The differences that were forced at a start.
std::string forced_text(const std::vector<std::string>& differences) {
  return differences.empty() ? "" : fmt::format(", forced: {}", fmt::join(differences, "; "));
}

std::string forced_text(const RunData& run, const HistoryEvent& resume) {
  const auto start = std::ranges::find(run.starts, static_cast<int>(resume.start), &StartFacts::number);
  return start == run.starts.end() ? "" : forced_text(start->differences);
}

// Text for an event; "" if it is not a fault.
std::string fault_text(const RunData& run, const HistoryEvent& event) {
  const std::string& name = event.event;
  if (name == "resume")
    return "resumed from step " + counted(number_at(event.line, "from_step")) + forced_text(run, event);
  if (name == "signal") return "stopped by " + text_at(event.line, "signal");
  if (name == "stall") return "stalled: " + text_at(event.line, "message");
  if (name == "goes_on") return "continued";
  if (name == "lost_worker") return "lost a worker: " + text_at(event.line, "message");
  if (name == "restart")
    return fmt::format("restarted by launch, number {}: {}", text_at(event.line, "number"),
                       text_at(event.line, "reason"));
  if (name == "roll_back") {
    return fmt::format("rolled back from step {} to {}, rate times {}: {}", counted(number_at(event.line, "from_step")),
                       counted(number_at(event.line, "to_step")), human_number(number_at(event.line, "rate_factor")),
                       text_at(event.line, "reason"));
  }
  if (name == "diverged" || name == "fail")
    return (name == "fail" ? "failed: " : "diverged: ") + text_at(event.line, "reason");
  if (name == "dropped") {
    return fmt::format("{} of worker {} were lost for the record",
                       counted(number_at(event.line, "messages"), "message", "messages"),
                       text_at(event.line, "worker"));
  }
  return "";
}

// For runs without a history, from their starts.
std::vector<std::vector<Cell>> rows_of_starts(const RunData& run) {
  std::vector<std::vector<Cell>> rows;
  for (size_t i = 1; i < run.starts.size(); ++i) {
    const StartFacts& before = run.starts[i - 1];
    rows.push_back({moment_text(run.starts[i].began),
                    {counted(static_cast<double>(run.starts[i].step)), static_cast<double>(run.starts[i].step)},
                    "",
                    fmt::format("restarted{}; before that: {}", forced_text(run.starts[i].differences),
                                before.reason.empty() ? "killed" : before.reason)});
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
    const std::string text = fault_text(run, event);
    if (text.empty()) continue;
    const double step = static_cast<double>(event.step);
    table.rows.push_back({moment_text(event.at),
                          {counted(step), step},
                          fmt::format("{}{}{}", event.rank, event.host.empty() ? "" : " on ", event.host),
                          text});
  }
  if (run.history.empty()) table.rows = rows_of_starts(run);
  if (table.rows.empty()) {
    // A death before the first checkpoint leaves no event.
    const auto was_wanted = [&](const StartFacts& start) {
      const bool is_running = &start == &run.starts.back() && start.reason.empty() && !start.killed && !run.silent();
      return start.was_wanted() || is_running;
    };
    const bool ended_well = std::ranges::all_of(run.starts, was_wanted);
    if (!run.history.empty() && ended_well) section.blocks.push_back(Paragraph{"None: the run had no fault."});
    return section;
  }
  constexpr size_t kRowsAtOnce = 40;
  if (table.rows.size() > kRowsAtOnce)
    table.folded = fmt::format("{} events", counted(static_cast<double>(table.rows.size())));
  section.blocks.push_back(table);
  return section;
}

}  // namespace verbund
