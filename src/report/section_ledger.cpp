// Where the time went, as a table; the first verdict draws it.
#include <fmt/format.h>

#include "report/sections.h"
#include "report/ticks.h"
#include "report/words.h"

namespace verbund {
namespace {

const char* meaning(TimeUse use) {
  switch (use) {
    case TimeUse::kCompute:
      return "forward and backward";
    case TimeUse::kData:
      return "no batch was ready";
    case TimeUse::kExchange:
      return "waiting for gradients on their way";
    case TimeUse::kSlowest:
      return "waiting until the slowest worker was done";
    case TimeUse::kUpdate:
      return "norm, clipping, optimiser";
    case TimeUse::kBookkeeping:
      return "around and between steps: log, metrics, the record";
    case TimeUse::kEvaluation:
      return "loss and translations of the dev set";
    case TimeUse::kSaving:
      return "training stood still for a checkpoint";
    case TimeUse::kStarting:
      return "from the start of the program to the first step";
    case TimeUse::kLost:
      return "computed again, as it was not saved when the run died";
    case TimeUse::kDown:
      return "between a death and the next start";
    case TimeUse::kTraining:
      return "steps, of which no more is known";
    case TimeUse::kUnaccounted:
      return "the rest";
  }
  return "";
}

}  // namespace

Section ledger_section(const Ledger& ledger) {
  Section section = {"ledger", "Ledger of time", {}};
  if (!(ledger.wall > 0)) return section;
  Table table;
  table.id = "ledger";
  table.columns = {{"use"}, {"time", true}, {"share", true}, {"what it is"}};
  for (size_t use = 0; use < kTimeUses; ++use) {
    const double seconds = ledger.parts[use];
    if (!(seconds > 0)) continue;
    table.rows.push_back({time_use_name(static_cast<TimeUse>(use)),
                          {duration_text(seconds), seconds},
                          {fmt::format("{:.1f} %", 100 * seconds / ledger.wall), 100 * seconds / ledger.wall},
                          meaning(static_cast<TimeUse>(use))});
  }
  table.rows.push_back({"all", {duration_text(ledger.wall), ledger.wall}, {"100.0 %", 100.0}, "of worker 0"});
  section.blocks.push_back(
      Paragraph{fmt::format("From {} to {}.", moment_text(ledger.began), moment_text(ledger.ended))});
  section.blocks.push_back(table);
  return section;
}

}  // namespace verbund
