// The page that compares several runs: what differs between them, their curves on one chart, and which is really
// better.
#pragma once

#include <vector>

#include "report/page.h"
#include "report/run_data.h"

namespace verbund {

// At least two runs.
Page comparison_page(const std::vector<RunData>& runs, const std::string& program);

}  // namespace verbund
