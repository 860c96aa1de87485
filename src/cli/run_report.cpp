#include "cli/run_report.h"

#include <algorithm>

#include "cli/version_text.h"
#include "plan/scaling_section.h"
#include "report/run_page.h"

namespace verbund {

Page make_run_report(const RunData& run) {
  Page page = run_page(run, program_version());
  Section scaling = scaling_section(run);
  if (scaling.blocks.empty()) return page;
  auto after = std::find_if(page.sections.begin(), page.sections.end(),
                            [](const Section& section) { return section.id == "ledger"; });
  if (after != page.sections.end()) ++after;
  page.sections.insert(after, std::move(scaling));
  return page;
}

}  // namespace verbund
