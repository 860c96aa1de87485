// The parts of a comparison of runs. Each takes all runs, with the names they have in it.
#pragma once

#include <string>
#include <vector>

#include "report/page.h"
#include "report/run_data.h"

namespace verbund {

struct NamedRun {
  std::string name;  // different from all others
  const RunData* run;
};
using NamedRuns = std::vector<NamedRun>;

// Only what is not the same in all of them: settings, data, program, hosts.
Section differences_section(const NamedRuns& runs);
// Best values, not last ones; runs that differ in their seed alone together, too.
Section results_section(const NamedRuns& runs);
// On one chart each: by step, by time, by tokens.
Section curves_section(const NamedRuns& runs);

// The best run against each of the others.
std::vector<Verdict> better_verdicts(const NamedRuns& runs);
// Until which step the logged values of the first run and of each other are the same.
std::vector<Verdict> first_differences(const NamedRuns& runs);

struct Best {
  size_t row = 0;  // of the table of evaluations
  int64_t step = 0;
  double value = kNotKnown;
};
Best best_of(const RunData& run, const std::string& key, bool highest);

}  // namespace verbund
