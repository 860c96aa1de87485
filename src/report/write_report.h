// SPDX-License-Identifier: Apache-2.0
// Writer of report.html and report.md of a run, and of comparison.html and comparison.md of several.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "page/page.h"
#include "report/run_data.h"

namespace verbund {

// Writes the report into the run folder at the end of training. A failure is only a warning, because the run itself is
// fine. Returns the path of the page; empty after a failure.
std::filesystem::path try_write_report(const std::filesystem::path& run,
                                       const std::function<Page(const RunData&)>& make_page);

// NAME.html and NAME.md, complete or not at all.
void write_page(const Page& page, const std::filesystem::path& out, const std::string& name);

// Fails, with advice, if this is a dataset or a checkpoint, or no folder.
void expect_run(const std::filesystem::path& folder);

}  // namespace verbund
