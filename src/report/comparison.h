// SPDX-License-Identifier: Apache-2.0
// Comparison of several runs: differences between them, their results and curves, and which setting is really better.
#pragma once

#include <string>
#include <vector>

#include "page/page.h"
#include "report/judge.h"

namespace verbund {

// Needs at least two runs.
Page comparison_page(const std::vector<RunData>& runs, const std::string& program);

// Parts of the page.
struct NamedRun {
  std::string name;  // unique among the runs
  const RunData* run;
};
using NamedRuns = std::vector<NamedRun>;

// Runs of one setting: configuration, dataset and program are the same, except for the seed. They are never ranked. A
// run without a configuration is a group of its own.
struct RunGroup {
  NamedRuns runs;
  NamedRuns seeds;  // the first run of each seed: the others tell nothing new

  std::string names() const;  // "a, b and c"
};
std::vector<RunGroup> groups_of(const NamedRuns& runs);

// Settings, data, program and hosts that are not the same in all runs.
Section differences_section(const NamedRuns& runs);
// Best values, not last ones; groups of several runs are also summarized.
Section results_section(const NamedRuns& runs);
// Charts with one curve per run: by step, by time, by tokens.
Section curves_section(const NamedRuns& runs);

// The spread of each group of several runs.
std::vector<Verdict> group_verdicts(const std::vector<RunGroup>& groups);
// The best group against each of the others: over seeds if there are several, else over the sentences of the dev set.
std::vector<Verdict> better_verdicts(const std::vector<RunGroup>& groups);
// The step up to which the logged values of the first run and of each other run of its seed are the same.
std::vector<Verdict> first_differences(const NamedRuns& runs);

// A score of two sides, and how likely chance alone makes such a difference.
struct ComparedScore {
  double first = kNotKnown, second = kNotKnown, p = kNotKnown;

  bool sure() const { return p < 0.05; }
  bool first_is_higher() const { return first > second; }
};
struct Ranking {
  Grade finding = Grade::kNeutral;
  std::string answer;  // "Yes, on this dev set"
};
// Whether the first side is better. BLEU and chrF must agree; a chrF that is not known is left out.
Ranking rank_sides(const ComparedScore& bleu, const ComparedScore& chrf);

// Below this BLEU a model translates nothing, and scores say nothing about quality.
inline constexpr double kTranslates = 1;

}  // namespace verbund
