// verbund score: hypothesis + references -> BLEU and chrF, with signature.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/options.h"
#include "core/error.h"
#include "core/log.h"
#include "core/utf8.h"
#include "score/score_report.h"
#include "score/whitespace.h"
#include "text/line_reader.h"

namespace verbund {
namespace {

constexpr char kStandardInput[] = "-";

struct ScoreCommand {
  std::string hypothesis = kStandardInput;
  std::vector<std::string> references;
  std::vector<std::string> metrics = {"bleu"};
  std::string tokenizer = "13a";
  std::string smoothing = "exp";
  BleuOptions bleu;
  ChrfOptions chrf;
  bool sentence = false;
  int width = 1;
  bool score_only = false;
  bool json = false;
};

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

References read_references(const ScoreCommand& command, size_t hypothesis_lines) {
  References references;
  for (const std::string& path : command.references) {
    references.push_back(read_segments(path));
    if (references.back().size() == hypothesis_lines) continue;
    fail("{} has {} lines but {} has {}: each line is scored against the same line of the reference",
         shown_name(command.hypothesis), hypothesis_lines, shown_name(path), references.back().size());
  }
  return references;
}

// A score of text that is tokenised already cannot be compared with anybody's.
void warn_if_tokenized(const ScoreCommand& command, const Segments& hypotheses) {
  constexpr int64_t kSuspicious = 100;
  if (command.bleu.tokenizer == Tokenizer::kNone) return;
  const int64_t tokenized =
      std::ranges::count_if(hypotheses, [](const std::string& line) { return line.ends_with(" ."); });
  if (tokenized < kSuspicious) return;
  warn("{} lines of {} end in \" .\": it looks tokenised, which may change the score; detokenise it first", tokenized,
       shown_name(command.hypothesis));
}

template <typename Statistics>
void sum_up(std::vector<Statistics>& segments) {
  for (size_t i = 1; i < segments.size(); ++i) segments[0] += segments[i];
  segments.resize(1);
}

// One report, or one per sentence.
std::vector<ScoreReport> compute(const std::string& metric, const ScoreCommand& command, const Segments& hypotheses,
                                 const References& references) {
  std::vector<ScoreReport> reports;
  if (metric == "bleu") {
    warn_if_tokenized(command, hypotheses);
    std::vector<BleuStatistics> segments = bleu_statistics(hypotheses, references, command.bleu);
    if (!command.sentence) sum_up(segments);
    for (const BleuStatistics& segment : segments) {
      reports.push_back(report(bleu_score(segment, references.size(), command.bleu)));
    }
    return reports;
  }
  ChrfOptions chrf = command.chrf;
  if (metric == "chrf++") chrf.word_order = 2;
  std::vector<ChrfStatistics> segments = chrf_statistics(hypotheses, references, chrf);
  if (!command.sentence) sum_up(segments);
  for (const ChrfStatistics& segment : segments) {
    reports.push_back(report(chrf_score(segment, references.size(), chrf)));
  }
  return reports;
}

void print(const ScoreCommand& command, const std::vector<ScoreReport>& reports) {
  if (command.json) {
    nlohmann::ordered_json list;
    for (const ScoreReport& each : reports) list.push_back(score_json(each));
    const bool is_list = command.sentence || command.metrics.size() > 1;
    std::cout << (is_list ? list : list.front()).dump(1) << '\n';
    return;
  }
  for (const ScoreReport& each : reports) {
    std::cout << (command.score_only ? fmt::format("{:.{}f}", each.score, command.width)
                                     : score_line(each, command.width))
              << '\n';
  }
}

void declare_flags(Options& options, ScoreCommand& command) {
  const auto between = [](int least, int most) { return CLI::Range(least, most).description(""); };
  options.add_option("hypothesis", command.hypothesis, "Translations, one per line; from stdin if absent or -")
      ->type_name("FILE");
  options.add_option("-r,--reference", command.references, "What they should be, line by line; repeatable")
      ->type_name("FILE")
      ->required()
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  options.add_option("-m,--metrics", command.metrics, "Any of bleu (default), chrf, chrf++, with commas between")
      ->type_name("LIST")
      ->delimiter(',')
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->check(CLI::IsMember({"bleu", "chrf", "chrf++"}).description(""));
  options.add_flag("--lowercase", command.bleu.lowercase, "Ignore case, in all metrics");
  options.add_flag("--sentence", command.sentence, "One score per line; --effective-order is implied");
  options.add_option("-w,--width", command.width, "Decimals of the score (default 1)")->check(between(0, 17));
  options.add_flag("-b,--score-only", command.score_only, "Print the bare number");
  options.add_flag("--json", command.json, "Print JSON, with exact numbers");

  options.add_option("--tokenize", command.tokenizer, "BLEU: 13a (default), intl, none or char")->type_name("NAME");
  options.add_option("--smooth", command.smoothing, "BLEU: exp (default), floor, add-k or none")->type_name("NAME");
  options.add_option("--smooth-value", command.bleu.smoothing_value, "BLEU: of floor (0.1) or of add-k (1)")
      ->type_name("X");
  options.add_flag("--effective-order", command.bleu.effective_order, "BLEU: skip orders the text is too short for");
  options.add_option("--chrf-char-order", command.chrf.char_order, "chrF: longest character n-grams (default 6)")
      ->check(between(0, 100));
  options.add_option("--chrf-word-order", command.chrf.word_order, "chrF: longest word n-grams (default 0; chrf++: 2)")
      ->check(between(0, 100));
  options.add_option("--chrf-beta", command.chrf.beta, "chrF: weight of recall (default 2)")->check(between(0, 100));
  options.add_flag("--chrf-whitespace", command.chrf.whitespace, "chrF: whitespace counts too");
  options.add_flag("--chrf-eps-smoothing", command.chrf.eps_smoothing, "chrF: epsilon instead of effective order");
}

// Refuses combinations of flags that make no sense, and derives what follows from the rest.
void complete(ScoreCommand& command) {
  command.bleu.tokenizer = tokenizer_named(command.tokenizer);
  command.bleu.smoothing = smoothing_named(command.smoothing);
  if (const auto value = command.bleu.smoothing_value) {
    if (command.smoothing != "floor" && command.smoothing != "add-k") {
      fail_usage("--smooth-value {} means nothing to --smooth {}: choose floor or add-k", *value, command.smoothing);
    }
    if (!(*value >= 0.0)) fail_usage("--smooth-value {} is too small: it must be 0 or more", *value);
  }
  if (command.json && command.score_only) {
    fail_usage("--json and --score-only exclude each other: choose one");
  }
  if (command.sentence && command.metrics.size() > 1) {
    fail_usage("--sentence prints one score per line, but {} metrics were asked for: choose one",
               command.metrics.size());
  }
  const auto inputs =
      std::ranges::count(command.references, kStandardInput) + (command.hypothesis == kStandardInput ? 1 : 0);
  if (inputs > 1) fail_usage("standard input (-) can be read once, but {} files are to come from it", inputs);
  command.chrf.lowercase = command.bleu.lowercase;
  command.bleu.effective_order |= command.sentence;
}

}  // namespace

void run_score(const Arguments& arguments) {
  ScoreCommand command;
  Options options("score", "Scores translations against references: BLEU and chrF, exactly as sacreBLEU does.",
                  "  verbund score -r reference.de hypothesis.de\n"
                  "  verbund score -r a.de -r b.de -m bleu,chrf,chrf++ --json < hypothesis.de\n"
                  "  verbund score -r reference.de --sentence --score-only -w 4 hypothesis.de\n");
  declare_flags(options, command);
  if (!options.read(arguments)) return;
  complete(command);
  const Segments hypotheses = read_segments(command.hypothesis);
  const References references = read_references(command, hypotheses.size());
  std::vector<ScoreReport> reports;
  for (const std::string& metric : command.metrics) {
    for (ScoreReport& each : compute(metric, command, hypotheses, references)) {
      reports.push_back(std::move(each));
    }
  }
  print(command, reports);
}

}  // namespace verbund
