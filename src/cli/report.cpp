// SPDX-License-Identifier: Apache-2.0
// verbund report: run folder -> verdicts with their evidence, as a page; several -> a comparison.
#include <unistd.h>

#include <iostream>
#include <set>

#include "cli/command.h"
#include "cli/options.h"
#include "core/columns.h"
#include "core/error.h"
#include "core/file.h"
#include "core/json.h"
#include "core/log.h"
#include "core/progress.h"
#include "page/page.h"
#include "plan/plan.h"
#include "report/comparison.h"
#include "report/run_page.h"
#include "report/write_report.h"

namespace verbund {
namespace {

// The folders as they were given, each a run and none twice.
std::vector<fs::path> expect_runs(const std::vector<std::string>& names) {
  std::vector<fs::path> runs;
  std::set<fs::path> seen;
  for (const std::string& name : names) {
    expect_run(name);
    if (!seen.insert(fs::canonical(name)).second) {
      fail_usage("{} is given twice: a run is compared with others", name);
    }
    runs.emplace_back(name);
  }
  return runs;
}

Page make_page(const std::vector<fs::path>& runs) {
  Progress progress("report", runs.size(), "runs");
  std::vector<RunData> read;
  for (const fs::path& run : runs) {
    progress.waiting("reading " + run.string());
    read.push_back(read_run(run));
    progress.update(read.size());
  }
  progress.waiting(runs.size() == 1 ? "judging" : "comparing");
  return runs.size() == 1 ? make_run_report(read.front()) : comparison_page(read, program_version());
}

Colour colour_of(Grade finding) {
  if (finding == Grade::kGood) return Colour::kGreen;
  if (finding == Grade::kBad) return Colour::kRed;
  return finding == Grade::kCannotTell ? Colour::kYellow : Colour::kNone;
}

// The questions and their answers for the console, and notes before them.
std::string in_words(const Page& page, size_t columns, bool colour) {
  constexpr size_t kMargin = 13;
  std::string text;
  const auto add = [&](const std::string& head, Colour head_colour, const std::string& sentence) {
    std::string start = coloured(fmt::format("{:<{}}", head, kMargin), head_colour, colour);
    for (const std::string& line : wrap_words(sentence, columns > 2 * kMargin ? columns - kMargin : columns)) {
      text += start + line + "\n";
      start = std::string(kMargin, ' ');
    }
  };
  if (!page.summary.empty()) {
    add("summary", Colour::kNone, fit_columns(page.summary, page.summary.size()));
    text += "\n";
  }
  for (const std::string& note : page.notes) add("note", Colour::kYellow, fit_columns(note, note.size()));
  for (const Verdict& verdict : shown_verdicts(page)) {
    add(grade_name(verdict.finding), colour_of(verdict.finding), verdict.question);
    add("", Colour::kNone, fit_columns(verdict.sentence, verdict.sentence.size()));
  }
  return text;
}

}  // namespace

Page make_run_report(const RunData& run) { return run_page(run, program_version(), {{"ledger", scaling_section}}); }

void run_report(const Arguments& arguments) {
  Options options(
      "report",
      "Answers twelve questions about a training run, with the evidence: RUN/report.html (one file, to read or to "
      "send) and RUN/report.md. Also works while the run is training. Several runs are compared: their settings, "
      "curves and significant differences, in comparison.html and comparison.md in the current folder.",
      "  verbund report runs/demo\n"
      "  verbund report runs/demo --json | jq '.verdicts[] | [.finding, .sentence]'\n"
      "  verbund report runs/a runs/b runs/c --out compared\n");
  std::vector<std::string> names;
  std::string out;
  bool json = false;
  options.add_option("RUN", names, "Run folders; one for its report, several to compare them")->required();
  options
      .add_option("--out", out,
                  "The folder to write to, instead of the run's own (or the current one, for a comparison)")
      ->type_name("FOLDER");
  options.add_flag("--json", json, "Print every figure, finding and series as JSON; write files only with --out");
  if (!options.read(arguments)) return;

  const std::vector<fs::path> runs = expect_runs(names);
  const Page page = make_page(runs);
  const bool single = runs.size() == 1;
  const fs::path folder = !out.empty() ? fs::path(out) : single ? runs.front() : fs::path(".");
  const std::string name = single ? "report" : "comparison";
  if (!json || !out.empty()) write_page(page, folder, name);
  if (json) {
    std::cout << dump_json(json_page(page), 1) << '\n';
    return;
  }
  const size_t columns = isatty(STDOUT_FILENO) != 0 ? terminal_columns(STDOUT_FILENO) : 100;
  std::cout << in_words(page, columns, terminal_at(STDOUT_FILENO).colour) << "\nreport       "
            << (folder / (name + ".html")).string() << "\n";
}

}  // namespace verbund
