// report.html and report.md of a run, and comparison.html and comparison.md of several: made and written.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "report/page.h"
#include "report/run_data.h"

namespace verbund {

// At the end of a training run, into its folder: what goes wrong is a warning, for the run itself is fine. Returns the
// page's path; empty if there is none.
std::filesystem::path try_write_report(const std::filesystem::path& run,
                                       const std::function<Page(const RunData&)>& make_page);

// NAME.html and NAME.md, complete or not at all.
void write_page(const Page& page, const std::filesystem::path& out, const std::string& name);

// Fails with what to give instead, if this is a dataset, a checkpoint or nothing that a run would leave.
void expect_run(const std::filesystem::path& folder);

}  // namespace verbund
