// SPDX-License-Identifier: Apache-2.0
#include "cli/run_report.h"

#include "cli/command.h"
#include "plan/plan.h"
#include "report/run_page.h"

namespace verbund {

Page make_run_report(const RunData& run) { return run_page(run, program_version(), {{"ledger", scaling_section}}); }

}  // namespace verbund
