// The page of one run: its head, its verdicts, and the sections after them.
#pragma once

#include "report/judge.h"
#include "report/page.h"

namespace verbund {

// `program`: which one makes it, for the foot.
Page run_page(const RunData& run, const std::string& program);

}  // namespace verbund
