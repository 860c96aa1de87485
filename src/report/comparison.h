// SPDX-License-Identifier: Apache-2.0
// Comparison of several runs: differences between them, their results and curves, and which one is really better.
#pragma once

#include <string>
#include <vector>

#include "report/judge.h"
#include "report/page.h"

namespace verbund {

// Needs at least two runs.
Page comparison_page(const std::vector<RunData>& runs, const std::string& program);

// Parts of the page.
struct NamedRun {
  std::string name;  // unique among the runs
  const RunData* run;
};
using NamedRuns = std::vector<NamedRun>;

// Settings, data, program and hosts that are not the same in all runs.
Section differences_section(const NamedRuns& runs);
// Best values, not last ones; runs that differ in their seed only are also summarized.
Section results_section(const NamedRuns& runs);
// Charts with one curve per run: by step, by time, by tokens.
Section curves_section(const NamedRuns& runs);

// The best run against each of the others.
std::vector<Verdict> better_verdicts(const NamedRuns& runs);
// The step up to which the logged values of the first run and of each other run are the same.
std::vector<Verdict> first_differences(const NamedRuns& runs);

}  // namespace verbund
