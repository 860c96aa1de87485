// SPDX-License-Identifier: Apache-2.0
// Layout is a placement of workers on hosts. A run may have another one after each start; step times, the exchange and
// the use of processors are then judged over the steps of one layout.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "report/run_data.h"

namespace verbund {

// Steps of one start that count: those that no later start has undone.
struct StepRange {
  int64_t first = 0, last = 0;

  int64_t count() const { return last - first + 1; }
};

// The steps of each start, by its number, from the records of worker 0, else from metrics.jsonl. Starts without such
// steps are not in it.
std::map<int, StepRange> steps_by_start(const RunData& run);

struct Layout {
  std::vector<HostFacts> hosts;   // of its last start
  std::set<int> starts;           // numbers
  std::vector<StepRange> ranges;  // rising, neighbours joined
  int64_t steps = 0;              // in all ranges

  std::string text() const;          // "2 workers on alpha"
  std::string threads_text() const;  // ", 1 thread each"; "" if that is not known
  std::string steps_text() const;    // "steps 1 to 300"
};

// Layouts are the same if hosts have the same number of workers and threads and the same processor, whatever their
// names. In the order of their first start; those without a step that counts are not in it.
std::vector<Layout> layouts_of(const RunData& run);

// Their texts, with threads if those alone tell two layouts apart.
std::vector<std::string> layout_texts(const std::vector<Layout>& layouts);

// The part of a run that one layout computed.
struct LayoutPart {
  RunData run;        // hosts, step records, traces, samples and logged steps of that layout alone
  std::string about;  // "This is about steps 1 to 300, with 2 workers on alpha; step 301 ran with 1 worker on alpha."
};

// The part with the most steps; nothing if the run had the same layout all the time.
std::optional<LayoutPart> largest_part(const RunData& run);

// Removes step records that worker 0 has undone in a later start, in which the worker may not have taken part.
void drop_undone_records(RunData& run);

}  // namespace verbund
