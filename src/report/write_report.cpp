// SPDX-License-Identifier: Apache-2.0
#include "report/write_report.h"

#include "core/error.h"
#include "core/file.h"
#include "core/log.h"
#include "page/page.h"

namespace verbund {

void expect_run(const fs::path& folder) {
  expect_folder(folder, "a run");
  if (fs::exists(folder / "run.json") || fs::exists(folder / "metrics.jsonl")) return;
  const std::string name = folder.string();
  if (fs::exists(folder / "dataset.json")) {
    fail(
        "nothing to report on: {} is a dataset. Give a run folder of `verbund train --run`, or show the dataset with: "
        "verbund inspect {}",
        name, name);
  }
  if (fs::exists(folder / "manifest.json")) {
    fail("nothing to report on: {} is a checkpoint. Give its run folder, two folders up.", name);
  }
}

void write_page(const Page& page, const fs::path& out, const std::string& name) {
  make_folder(out);
  write_file(out / (name + ".html"), html_page(page));
  write_file(out / (name + ".md"), markdown_page(page));
}

fs::path try_write_report(const fs::path& run, const std::function<Page(const RunData&)>& make_page) {
  try {
    write_page(make_page(read_run(run)), run, "report");
    return run / "report.html";
  } catch (const std::exception& error) {
    warn("the report could not be made, which changes nothing of the run: {}. Make it with: verbund report {}",
         error.what(), run.string());
    return {};
  }
}

}  // namespace verbund
