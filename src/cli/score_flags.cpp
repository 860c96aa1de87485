// SPDX-License-Identifier: Apache-2.0
#include "cli/score_flags.h"

#include <algorithm>
#include <charconv>
#include <random>
#include <set>

#include "core/error.h"

namespace verbund {
namespace {

uint64_t seed_of(const std::string& text) {
  if (text == "none") return uint64_t{std::random_device()()} << 32 | std::random_device()();
  uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) {
    fail_usage("--seed {} (or SACREBLEU_SEED) must be a whole number, 0 or more, or none", text);
  }
  return seed;
}

void check_smoothing(const ScoreCommand& command) {
  const auto value = command.bleu.smoothing_value;
  if (!value) return;
  if (command.smoothing != "floor" && command.smoothing != "add-k") {
    fail_usage("--smooth-value {} has no effect on --smooth {}: choose floor or add-k", *value, command.smoothing);
  }
  if (!(*value >= 0.0)) fail_usage("--smooth-value {} is too small: it must be 0 or more", *value);
}

void check_files(const ScoreCommand& command) {
  std::set<std::string> names;
  for (const std::string& path : command.systems) {
    if (!names.insert(path).second) fail_usage("{} is given twice: each system needs a file of its own", path);
  }
  const auto inputs =
      std::ranges::count(command.references, kStandardInput) + std::ranges::count(command.systems, kStandardInput);
  if (inputs > 1) fail_usage("standard input (-) can be read once, but {} files are read from it", inputs);
}

// Flags that are for one system alone, and for several.
void check_tests(const ScoreCommand& command) {
  const size_t systems = command.systems.size();
  const bool paired = command.paired_ar || command.paired_bs;
  if (command.paired_ar && command.paired_bs) {
    fail_usage("--paired-ar and --paired-bs cannot be combined: give one");
  }
  if (paired && systems == 1) {
    fail_usage("{} compares systems with the first, but there is only one: name two files or more",
               command.paired_ar ? "--paired-ar" : "--paired-bs");
  }
  if (command.confidence && systems > 1 && !paired) {
    fail_usage("--confidence is for one system, but there are {}: compare them with --paired-ar or --paired-bs",
               systems);
  }
  if (command.sentence && (systems > 1 || paired || command.confidence)) {
    fail_usage("--sentence prints one score per line, of one system and without tests: remove it, or the others");
  }
  if (command.score_only && systems > 1) {
    fail_usage("--score-only prints a bare number, but there are {} systems: remove it, or use --json", systems);
  }
}

}  // namespace

void declare_flags(Options& options, ScoreCommand& command) {
  options.add_option("hypothesis", command.systems, "Translations; stdin if none or -. Several files: several systems")
      ->type_name("FILE");
  options.add_option("-r,--reference", command.references, "Reference translations, line by line; repeatable")
      ->type_name("FILE")
      ->required()
      ->repeatable();
  options.add_option("-m,--metrics", command.metrics, "Any of bleu (default), chrf, chrf++, ter, with commas between")
      ->type_name("LIST")
      ->separated_by(',')
      ->repeatable()
      ->check(one_of({"bleu", "chrf", "chrf++", "ter"}));
  options.add_flag("--lowercase", command.bleu.lowercase, "Ignore case, in all metrics (ter does anyway)");
  options.add_flag("--sentence", command.sentence, "One score per line; --effective-order is implied");
  options.add_option("-w,--width", command.width, "Decimals of the score (default 1)")->check(between(0, 17));
  options.add_flag("-b,--score-only", command.score_only, "Print the bare number");
  options.add_flag("--json", command.json, "Print JSON, with exact numbers");

  options.add_flag("--confidence", command.confidence,
                   "95 % confidence interval by bootstrap, of one system or beside --paired-ar");
  options.add_option("--confidence-n", command.confidence_samples, "Samples for it (default 1000)")->check(at_least(2));
  options.add_flag("--paired-ar", command.paired_ar,
                   "Test whether systems differ from the first: approximate randomisation");
  options.add_option("--paired-ar-n", command.ar_trials, "Trials for it (default 10000)")->check(at_least(1));
  options.add_flag("--paired-bs", command.paired_bs, "The same test by paired bootstrap, with 95 % intervals");
  options.add_option("--paired-bs-n", command.bs_samples, "Samples for it (default 1000)")->check(at_least(1));
  options.add_option("--seed", command.seed, "Seed of random samples (default 12345), or none")
      ->type_name("N")
      ->environment("SACREBLEU_SEED");

  options.add_option("--tokenize", command.tokenizer, "BLEU: 13a (default), intl, none or char")->type_name("NAME");
  options.add_option("--smooth", command.smoothing, "BLEU: exp (default), floor, add-k or none")->type_name("NAME");
  options
      .add_option("--smooth-value", command.bleu.smoothing_value,
                  "BLEU: value of --smooth floor (default 0.1) or add-k (default 1)")
      ->type_name("X");
  options.add_flag("--effective-order", command.bleu.effective_order, "BLEU: skip orders the text is too short for");
  options.add_option("--chrf-char-order", command.chrf.char_order, "chrF: longest character n-grams (default 6)")
      ->check(between(0, 100));
  options.add_option("--chrf-word-order", command.chrf.word_order, "chrF: longest word n-grams (default 0; chrf++: 2)")
      ->check(between(0, 100));
  options.add_option("--chrf-beta", command.chrf.beta, "chrF: weight of recall (default 2)")->check(between(0, 100));
  options.add_flag("--chrf-whitespace", command.chrf.whitespace, "chrF: whitespace counts too");
  options.add_flag("--chrf-eps-smoothing", command.chrf.eps_smoothing, "chrF: epsilon instead of effective order");
  options.add_flag("--ter-normalized", command.ter.normalized, "TER: punctuation apart from words");
  options.add_flag("--ter-no-punct", command.ter.no_punctuation, "TER: without punctuation");
  options.add_flag("--ter-asian-support", command.ter.asian_support,
                   "TER: apply --ter-normalized and --ter-no-punct to Chinese and Japanese");
  options.add_flag("--ter-case-sensitive", command.ter.case_sensitive, "TER: do not ignore case");
}

void complete(ScoreCommand& command) {
  if (command.systems.empty()) command.systems = {kStandardInput};
  command.bleu.tokenizer = tokenizer_named(command.tokenizer);
  command.bleu.smoothing = smoothing_named(command.smoothing);
  check_smoothing(command);
  if (command.json && command.score_only) {
    fail_usage("--json and --score-only cannot be combined: give one");
  }
  if (command.sentence && command.metrics.size() > 1) {
    fail_usage("--sentence prints one score per line, but {} metrics were asked for: choose one",
               command.metrics.size());
  }
  check_files(command);
  check_tests(command);
  command.chrf.lowercase = command.bleu.lowercase;
  command.bleu.effective_order |= command.sentence;
  command.test.seed = seed_of(command.seed);
  command.test.seed_name = command.seed;
  if (command.paired_ar) command.test.test = PairedTest::kRandomization;
  if (command.paired_bs) command.test.test = PairedTest::kBootstrap;
  command.test.trials = command.paired_bs ? command.bs_samples : command.ar_trials;
  if (command.confidence) command.test.confidence_samples = command.confidence_samples;
}

}  // namespace verbund
