// The parts of a run's page after its verdicts. Each is made of what is known; one about which nothing is known has no
// blocks, and is left out.
#pragma once

#include "report/judge.h"
#include "report/page.h"

namespace verbund {

Section ledger_section(const Ledger& ledger);
Section curves_section(const RunData& run);
Section evaluations_section(const RunData& run);
Section samples_section(const RunData& run);
Section faults_section(const RunData& run);
Section configuration_section(const RunData& run);
Section environment_section(const RunData& run);
Section commands_section(const RunData& run);

}  // namespace verbund
