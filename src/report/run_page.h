// SPDX-License-Identifier: Apache-2.0
// The page of one run: its summary, a strip of charts, its verdicts, and the sections after them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "page/page.h"
#include "report/judge.h"

namespace verbund {

// A section that another part of the program adds to the page of a run.
struct PlacedSection {
  std::string after;  // id of the section before it
  std::function<Section(const RunData&)> make;
};

// Composes the page. `program` made it, for the footer. Sections without blocks are omitted.
Page run_page(const RunData& run, const std::string& program, const std::vector<PlacedSection>& others = {});

// One sentence: how the run ended, how good it is and whether that still changes, and what went wrong.
std::string run_summary(const RunData& run, const Ledger& ledger, const BasicFacts& facts,
                        const std::vector<Verdict>& verdicts);

// Loss, scores, learning rate, tokens per second, as far as they are on record; resumes and the best step are marked.
std::vector<Chart> strip_charts(const RunData& run);

// BLEU and loss of all dev sets, if there are others beside the main one.
std::vector<Chart> dev_set_charts(const RunData& run);

// The report's own sections, in the order of the page. Each has no blocks if nothing is known about its subject.
Section ledger_section(const Ledger& ledger);
Section curves_section(const RunData& run);
Section evaluations_section(const RunData& run);
Section samples_section(const RunData& run);
Section mixture_section(const RunData& run);
Section faults_section(const RunData& run);
Section configuration_section(const RunData& run);
Section environment_section(const RunData& run);
Section commands_section(const RunData& run);

}  // namespace verbund
