// SPDX-License-Identifier: Apache-2.0
// verbund score-pairs: sources + given translations -> their log-probabilities.
#include <cmath>
#include <iostream>
#include <optional>

#include "cli/command.h"
#include "cli/file_progress.h"
#include "cli/model_flags.h"
#include "cli/options.h"
#include "collectives/threads.h"
#include "core/error.h"
#include "core/json.h"
#include "core/log.h"
#include "core/output.h"
#include "core/process.h"
#include "decode/pair_scorer.h"
#include "decode/trained_model.h"
#include "text/line_reader.h"

namespace verbund {
namespace {

constexpr char kStandardInput[] = "-";

struct ScorePairsCommand {
  ModelPlace place;
  std::string source, target, tsv;
  std::vector<std::string> overrides;
  PairScorerConfig scorer;
  int64_t window = 2000;
  bool per_token = false, json = false;
};

struct Total {
  uint64_t pairs = 0, tokens = 0;
  double log_probability = 0;
};

void declare_flags(Options& options, ScorePairsCommand& command) {
  add_model_flags(options, command.place);
  add_device_flags(options, command.place);
  options.add_option("--source", command.source, "Source text, one sentence a line (plain, .gz, .xz; - is stdin)")
      ->type_name("FILE");
  options.add_option("--target", command.target, "Its translations, line by line")->type_name("FILE");
  options.add_option("--tsv", command.tsv, "Both in one file: source, tab, translation")->type_name("FILE");
  options.add_flag("--per-token", command.per_token,
                   "Also print each subword piece of the translation with its own log-probability");
  options.add_flag("--json", command.json, "One JSON object a line, with exact numbers");
  options.add_option("--max-tokens", command.scorer.max_tokens, "Longest side of a pair; longer ones are refused")
      ->check(at_least(1))
      ->capture_default_str();
  options.add_option("--window", command.window, "Pairs that are read ahead and sorted by length")
      ->check(at_least(1))
      ->capture_default_str();
  options.add_list("--set", command.overrides, "Override a value of the configuration: threads=1 (repeatable)",
                   "KEY=VALUE");
}

void check(const ScorePairsCommand& command) {
  const bool both = !command.source.empty() && !command.target.empty();
  const bool neither = command.source.empty() && command.target.empty();
  if (command.tsv.empty() ? !both : !neither) {
    fail_usage("the text to score is missing: --source FILE --target FILE, or --tsv FILE with both");
  }
  if (command.source == kStandardInput && command.target == kStandardInput) {
    fail_usage("standard input (-) can be read once: give --tsv - if both sides come from it");
  }
}

// The pairs of two parallel files or of one with tabs, one after the other.
class PairReader {
 public:
  explicit PairReader(const ScorePairsCommand& command) : first_(command.tsv.empty() ? command.source : command.tsv) {
    if (command.tsv.empty()) second_.emplace(command.target);
  }

  bool next(TextPair& pair) {
    const bool more = first_.next_line(pair.source);
    if (second_ && second_->next_line(pair.target) != more) refuse_unequal(more);
    pair.number = first_.lines();
    if (more && !second_) split(pair);
    return more;
  }

  // Bytes that have been read, of the first file.
  uint64_t position() const { return first_.position(); }
  const fs::path& path() const { return first_.path(); }

  std::string name() const { return first_.path() == kStandardInput ? "standard input" : first_.path().string(); }

 private:
  void split(TextPair& pair) const {
    const size_t tab = pair.source.find('\t');
    const auto tabs = std::count(pair.source.begin(), pair.source.end(), '\t');
    if (tabs != 1) {
      fail("line {} of {} has {} columns, but two are wanted: source, tab, translation", pair.number, name(), tabs + 1);
    }
    pair.target = pair.source.substr(tab + 1);
    pair.source.resize(tab);
  }

  // One side is at its end. The other may be a stream that has none, so only a file is read on.
  [[noreturn]] void refuse_unequal(bool first_goes_on) {
    LineReader& longer = first_goes_on ? first_ : *second_;
    const bool is_file = fs::is_regular_file(longer.path());
    for (std::string line; is_file && longer.next_line(line);) continue;
    const auto count = [&](const LineReader& reader) {
      return fmt::format("{}{}", &reader == &longer && !is_file ? "at least " : "", reader.lines());
    };
    fail("{} has {} lines but {} has {}: the sides must be parallel", first_.path().string(), count(first_),
         second_->path().string(), count(*second_));
  }

  LineReader first_;
  std::optional<LineReader> second_;
};

std::string show_json(const ScorePairsCommand& command, const TextPair& pair, const PairScore& score,
                      const Subwords& subwords) {
  Json object = {{"line", pair.number},
                 {"source", pair.source},
                 {"target", pair.target},
                 {"log_probability", score.sum()},
                 {"tokens", score.tokens.size()}};
  for (size_t i = 0; command.per_token && i < score.tokens.size(); ++i) {
    object["per_token"].push_back(
        {{"piece", subwords.piece(score.tokens[i])}, {"log_probability", score.log_probabilities[i]}});
  }
  return dump_json(object) + "\n";
}

// Columns: log-probability, tokens, and if asked for, "piece=log-probability" of each token.
std::string show(const ScorePairsCommand& command, const TextPair& pair, const PairScore& score,
                 const Subwords& subwords) {
  if (command.json) return show_json(command, pair, score, subwords);
  std::string text = fmt::format("{:.4f}\t{}", score.sum(), score.tokens.size());
  for (size_t i = 0; command.per_token && i < score.tokens.size(); ++i) {
    text +=
        fmt::format("{}{}={:.4f}", i == 0 ? '\t' : ' ', subwords.piece(score.tokens[i]), score.log_probabilities[i]);
  }
  return text + "\n";
}

Total score_all(const ScorePairsCommand& command, PairReader& reader, const PairScorer& scorer,
                const Subwords& subwords) {
  Total total;
  FileProgress progress("scoring", {reader.path()});
  for (bool more = true; more;) {
    std::vector<TextPair> pairs;
    for (TextPair pair; pairs.size() < static_cast<size_t>(command.window) && (more = reader.next(pair));) {
      pairs.push_back(pair);
    }
    const std::vector<PairScore> scores =
        scorer.score(pairs, [&](size_t done) { progress.update(reader.position(), done, pairs.size()); });
    progress.end_window(reader.position());
    for (size_t i = 0; i < pairs.size(); ++i) {
      print_output(show(command, pairs[i], scores[i], subwords));
      ++total.pairs;
      total.tokens += scores[i].tokens.size();
      total.log_probability += scores[i].sum();
    }
    flush_output();
  }
  return total;
}

}  // namespace

void run_score_pairs(const Arguments& arguments) {
  ScorePairsCommand command;
  Options options("score-pairs",
                  "Computes how likely given translations are for a model: for each pair the log-probability (natural "
                  "logarithm, summed over the translation's tokens and </s>) and the number of tokens.",
                  "  verbund score-pairs -m runs/demo --source test.en --target test.de\n"
                  "  verbund score-pairs -m runs/demo --tsv pairs.tsv.gz --per-token\n"
                  "  paste test.en test.de | verbund score-pairs -m runs/demo --tsv - --json\n");
  declare_flags(options, command);
  if (!options.read(arguments)) return;
  check(command);
  TrainedModel trained = load_trained_model(command.place);
  override_use(trained.config, command.overrides);
  command.scorer.batch_tokens = trained.config.decode.batch_tokens;
  keep_freed_memory();
  use_threads(trained.config.threads);
  const PairScorer scorer(*trained.model, trained.source, trained.target, command.scorer);
  PairReader reader(command);
  log_device(*trained.device);
  const Total total = score_all(command, reader, scorer, trained.target);
  if (total.pairs == 0) fail("{} is empty: there are no pairs to score", reader.name());
  const double cross_entropy = -total.log_probability / static_cast<double>(total.tokens);
  log("{} pairs, {} tokens: log-probability {:.4f}, cross-entropy {:.4f} per token, perplexity {:.4f}", total.pairs,
      total.tokens, total.log_probability, cross_entropy, std::exp(cross_entropy));
}

}  // namespace verbund
