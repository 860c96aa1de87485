// SPDX-License-Identifier: Apache-2.0
// verbund score: translations of one system or several + references -> BLEU, chrF and TER with signatures, confidence
// intervals, and tests whether systems differ.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/score_flags.h"
#include "core/error.h"
#include "core/json.h"
#include "core/log.h"
#include "core/utf8.h"
#include "score/paired_test_table.h"
#include "score/segments.h"
#include "text/line_reader.h"

namespace verbund {
namespace {

std::string shown_name(const std::string& path) { return path == kStandardInput ? "standard input" : path; }

Segments read_lines(const std::string& path) {
  LineReader reader(path);
  Segments lines;
  for (std::string line; reader.next_line(line);) lines.push_back(std::move(line));
  return lines;
}

Segments read_segments(const std::string& path) {
  Segments lines = read_lines(path);
  if (lines.empty()) fail("{} is empty: there is nothing to score", shown_name(path));
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!is_utf8(lines[i])) {
      fail("line {} of {} is not valid UTF-8: convert the file first, e.g. with iconv", i + 1, shown_name(path));
    }
    lines[i].resize(trim_right(lines[i]).size());
  }
  return lines;
}

std::vector<NamedSystem> read_systems(const ScoreCommand& command) {
  std::vector<NamedSystem> systems;
  for (const std::string& path : command.systems) systems.push_back({path, read_segments(path)});
  return systems;
}

References read_references(const ScoreCommand& command, const std::vector<NamedSystem>& systems) {
  References references;
  for (const std::string& path : command.references) {
    references.push_back(read_segments(path));
    for (const NamedSystem& system : systems) {
      if (references.back().size() == system.segments.size()) continue;
      fail("{} has {} lines but {} has {}: each line is scored against the same line of the reference",
           shown_name(system.name), system.segments.size(), shown_name(path), references.back().size());
    }
  }
  return references;
}

// Scores of tokenised text cannot be compared with others.
void warn_if_tokenized(const ScoreCommand& command, const NamedSystem& system) {
  constexpr int64_t kSuspicious = 100;
  if (command.bleu.tokenizer == Tokenizer::kNone || !std::ranges::count(command.metrics, "bleu")) return;
  const int64_t tokenized =
      std::ranges::count_if(system.segments, [](const std::string& line) { return line.ends_with(" ."); });
  if (tokenized < kSuspicious) return;
  warn("{} lines of {} end in \" .\": it looks tokenised, which may change the score; detokenise it first", tokenized,
       shown_name(system.name));
}

Metrics make_metrics(const ScoreCommand& command) {
  Metrics metrics;
  for (const std::string& name : command.metrics) {
    ChrfOptions chrf = command.chrf;
    if (name == "chrf++") chrf.word_order = 2;
    metrics.push_back(name == "bleu"  ? make_metric(command.bleu)
                      : name == "ter" ? make_metric(command.ter)
                                      : make_metric(chrf));
  }
  return metrics;
}

// One report, or one per sentence.
std::vector<ScoreReport> reports_by(const Metric& metric, const ScoreCommand& command, const Segments& hypotheses,
                                    const References& references) {
  const StatisticsTable table = metric.statistics(hypotheses, references);
  std::vector<ScoreReport> reports;
  if (command.sentence) {
    for (size_t i = 0; i < table.rows(); ++i) reports.push_back(metric.report(table.row(i), references.size()));
    return reports;
  }
  reports.push_back(metric.report(table.sums(), references.size()));
  if (!command.confidence) return reports;
  Pcg64 random(command.test.seed);
  const auto scores = bootstrap_scores(metric, table, command.confidence_samples, random);
  const ScoreInterval interval = confidence_interval(metric, scores);
  if (interval.mean > 0) reports.front().interval = interval;
  reports.front().signature = with_samples(reports.front().signature, command.confidence_samples, command.seed);
  return reports;
}

void print(const ScoreCommand& command, const std::vector<ScoreReport>& reports) {
  if (command.json) {
    Json list;
    for (const ScoreReport& each : reports) list.push_back(score_json(each, command.width));
    const bool is_list = command.sentence || command.metrics.size() > 1;
    std::cout << dump_json(is_list ? list : list.front(), 1) << '\n';
    return;
  }
  for (const ScoreReport& each : reports) {
    std::cout << (command.score_only ? score_text(each, command.width) : score_line(each, command.width)) << '\n';
  }
}

void score_one(const ScoreCommand& command, const Segments& hypotheses, const References& references) {
  std::vector<ScoreReport> reports;
  for (const auto& metric : make_metrics(command)) {
    for (ScoreReport& each : reports_by(*metric, command, hypotheses, references)) reports.push_back(std::move(each));
  }
  print(command, reports);
}

void score_several(const ScoreCommand& command, const std::vector<NamedSystem>& systems, const References& references) {
  const Comparison comparison = compare_systems(systems, references, make_metrics(command), command.test);
  if (command.json) {
    std::cout << dump_json(comparison_json(comparison, command.test, command.width), 4) << '\n';
  } else {
    std::cout << comparison_text(comparison, command.test, command.width);
  }
}

}  // namespace

void run_score(const Arguments& arguments) {
  ScoreCommand command;
  Options options("score", "Scores translations against references: BLEU, chrF and TER, exactly as sacreBLEU does.",
                  "  verbund score -r reference.de hypothesis.de\n"
                  "  verbund score -r a.de -r b.de -m bleu,chrf,ter --json < hypothesis.de\n"
                  "  verbund score -r reference.de --confidence hypothesis.de\n"
                  "  verbund score -r reference.de --paired-ar -m bleu,chrf baseline.de other.de\n"
                  "  verbund score -r reference.de --sentence --score-only -w 4 hypothesis.de\n");
  declare_flags(options, command);
  if (!options.read(arguments)) return;
  complete(command);
  const std::vector<NamedSystem> systems = read_systems(command);
  const References references = read_references(command, systems);
  for (const NamedSystem& system : systems) warn_if_tokenized(command, system);
  if (systems.size() > 1) {
    score_several(command, systems, references);
  } else {
    score_one(command, systems.front().segments, references);
  }
}

}  // namespace verbund
