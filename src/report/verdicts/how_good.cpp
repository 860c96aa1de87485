// SPDX-License-Identifier: Apache-2.0
// Verdict 1: how good the translations of the best evaluation are.
#include <algorithm>
#include <cmath>

#include "core/order.h"
#include "page/escape.h"
#include "page/number_format.h"
#include "report/corpora_seen.h"
#include "report/judge.h"
#include "report/run_parts.h"
#include "report/verdicts/evidence.h"
#include "score/comparison.h"

namespace verbund {
namespace {

// BLEU from which on readers get the gist, and from which on translations are good. Judgements: BLEU depends on the
// languages and the text. See docs/verdicts.md.
constexpr double kGistBleu = 10, kGoodBleu = 30;
constexpr size_t kSamples = 3;
constexpr double kCharactersPerBlank = 20;  // text with fewer blanks does not separate its words
constexpr const char* kQualityInterval = "95 % interval, bootstrap over sentences";

// The evaluation with the highest BLEU, as far as its sentences were kept.
struct JudgedEvaluation {
  BestValue best;
  double chrf = kNotKnown, loss = kNotKnown;
  BleuOptions options;
  EvaluatedSentences sentences;
  std::vector<DevSentence> dev;  // of the translated sentences; empty if not all were kept
};

double at_step(const MetricTable& table, const std::string& key, int64_t step) {
  const auto row = static_cast<size_t>(std::ranges::lower_bound(table.step, step) - table.step.begin());
  return row < table.rows() && table.step[row] == step ? table.column(key)[row] : kNotKnown;
}

// True if these are the sentences that have the logged score.
bool agree(const std::vector<BleuStatistics>& segments, const BleuOptions& options, double logged) {
  if (segments.empty()) return false;
  BleuStatistics sum = segments[0];
  for (size_t i = 1; i < segments.size(); ++i) sum += segments[i];
  constexpr double kRounding = 0.01;
  return std::abs(bleu_score(sum, 1, options).score - logged) <= kRounding;
}

JudgedEvaluation judged_evaluation(const RunData& run) {
  JudgedEvaluation judged;
  judged.best = best_of(run, "dev_bleu", true);
  if (!is_known(judged.best.value)) return judged;
  judged.chrf = at_step(run.evaluations, "dev_chrf", judged.best.step);
  judged.loss = at_step(run.evaluations, loss_key(run.evaluations, "dev"), judged.best.step);
  if (run.config) judged.options.tokenizer = tokenizer_named(run.config->evaluate.tokenize);
  for (const auto& [step, file] : run.evaluation_files) {
    if (step == judged.best.step) judged.sentences = read_evaluated_sentences(file);
  }
  if (!agree(judged.sentences.bleu, judged.options, judged.best.value)) judged.sentences = {};
  judged.dev = read_dev_sentences(run.folder);
  const size_t translated = judged.sentences.translations.size();
  judged.dev.resize(translated > 0 && judged.dev.size() >= translated ? translated : 0);
  return judged;
}

template <typename Options, typename Statistics>
Bounds interval_of(const Options& options, const std::vector<Statistics>& segments) {
  const std::unique_ptr<Metric> metric = make_metric(options);
  Pcg64 random(kTestSeed);
  const ScoreInterval interval =
      confidence_interval(*metric, bootstrap_scores(*metric, table_of(std::span(segments)), kBootstrapSamples, random));
  return {std::max(0.0, interval.mean - interval.half_width), std::min(100.0, interval.mean + interval.half_width)};
}

// The scores of the source itself, taken for its translation.
struct Copying {
  double bleu = kNotKnown, chrf = kNotKnown;
};

Copying copying(const JudgedEvaluation& judged) {
  if (judged.dev.empty()) return {};
  Segments sources, references;
  for (const DevSentence& sentence : judged.dev) {
    sources.push_back(sentence.source);
    references.push_back(sentence.reference);
  }
  return {corpus_bleu(sources, {references}, judged.options).score, corpus_chrf(sources, {references}).score};
}

// True if BLEU cannot count words, because nothing separates them.
bool has_no_words(const JudgedEvaluation& judged) {
  if (judged.options.tokenizer == Tokenizer::kCharacters) return false;
  double characters = 0, blanks = 0;
  for (const DevSentence& sentence : judged.dev) {
    for (const char c : sentence.reference) {
      characters += (c & 0xc0) != 0x80 ? 1 : 0;
      blanks += c == ' ' ? 1 : 0;
    }
  }
  return characters > kCharactersPerBlank * (blanks + static_cast<double>(judged.dev.size()));
}

// The sentences in the middle by their own BLEU: as many are better as worse.
std::vector<SampleSentence> typical_samples(const JudgedEvaluation& judged) {
  if (judged.dev.empty()) return {};
  BleuOptions options = judged.options;
  options.effective_order = true;  // as sacreBLEU scores single sentences
  std::vector<double> bleu;
  for (const BleuStatistics& statistics : judged.sentences.bleu) {
    bleu.push_back(bleu_score(statistics, 1, options).score);
  }
  const std::vector<size_t> order = largest_first(bleu.size(), [&](size_t i) { return bleu[i]; });
  const size_t count = std::min(kSamples, order.size()), first = (order.size() - count) / 2;
  constexpr size_t kLongestText = 600;  // characters
  std::vector<SampleSentence> samples;
  for (size_t i = first; i < first + count; ++i) {
    const size_t sentence = order[i];
    samples.push_back({fmt::format("sentence {} of {}", sentence + 1, bleu.size()),
                       shortened(judged.dev[sentence].source, kLongestText),
                       shortened(judged.dev[sentence].reference, kLongestText),
                       shortened(judged.sentences.translations[sentence], kLongestText), bleu[sentence]});
  }
  return samples;
}

// "100 of 600", or "600" if all were translated.
std::string sentences_text(const EvaluatedSentences& sentences) {
  std::string translated = counted(static_cast<double>(sentences.bleu.size()));
  if (sentences.bleu.size() == sentences.size()) return translated;
  return fmt::format("{} of {}", translated, counted(static_cast<double>(sentences.size())));
}

std::string why_not_known(const RunData& run) {
  if (run.evaluations.has("dev_teacher_forced_piece_bleu")) {
    return "its BLEU is that of pieces predicted after the reference's own (teacher forcing), which is not the quality "
           "of translations.";
  }
  const DevCurve curve = dev_curve(run);
  if (curve.step.empty()) return "no dev sentence was ever translated.";
  return fmt::format("no dev sentence was ever translated; only the loss is known ({} at step {}).",
                     short_number(curve.loss[curve.lowest()]), counted(curve.step[curve.lowest()]));
}

void add_figures(Verdict& verdict, const RunData& run, const JudgedEvaluation& judged, Bounds bleu_bounds,
                 const Copying& copied) {
  const bool kept = !judged.sentences.bleu.empty();
  if (kept) {
    verdict.add("BLEU", judged.best.value, "", bleu_bounds, kQualityInterval);
    verdict.add("chrF", judged.chrf, "", interval_of(ChrfOptions(), judged.sentences.chrf), kQualityInterval);
    verdict.add("dev sentences translated", static_cast<double>(judged.sentences.bleu.size()), "");
    verdict.add("dev sentences in all", static_cast<double>(judged.sentences.size()), "");
  } else {
    verdict.add("BLEU", judged.best.value, "");
    if (is_known(judged.chrf)) verdict.add("chrF", judged.chrf, "");
  }
  verdict.figures.push_back(step_figure("step of this evaluation", static_cast<double>(judged.best.step)));
  if (is_known(copied.bleu)) {
    verdict.add("BLEU of copying the source", copied.bleu, "");
    verdict.add("chrF of copying the source", copied.chrf, "");
  }
  if (is_known(judged.loss)) verdict.add("loss", judged.loss, "nats per token");
  const double untrained_loss = at_step(run.evaluations, loss_key(run.evaluations, "dev"), 0);
  if (is_known(untrained_loss)) verdict.add("loss before the first step", untrained_loss, "nats per token");
  const double untrained_bleu = at_step(run.evaluations, "dev_bleu", 0);
  if (is_known(untrained_bleu)) verdict.add("BLEU before the first step", untrained_bleu, "");
}

std::string advice(const RunData& run, Grade finding, double bleu) {
  if (finding == Grade::kGood) {
    return fmt::format(
        "BLEU {:.2f} is that of the dev set, on which the checkpoint was chosen: `verbund evaluate` on "
        "text of your own tells what you will get.",
        bleu);
  }
  const double epochs = max_epochs(run);
  const char* up_to = corpora_seen(run).size() > 1 ? "up to " : "";
  const std::string seen = is_known(epochs) ? fmt::format(" after {}{} epochs", up_to, short_number(epochs)) : "";
  if (finding == Grade::kNeutral) {
    return fmt::format("BLEU {:.2f}{} is {:.1f} short of {}: train on more pairs, for more steps, or a larger model.",
                       bleu, seen, kGoodBleu - bleu, kGoodBleu);
  }
  return fmt::format(
      "BLEU {:.2f}{}: train for more steps, if the loss still falls. If it does not, look at the pairs "
      "(verbund inspect: are the sides parallel?) and at the learning rate.",
      bleu, seen);
}

}  // namespace

Verdict how_good(const RunData& run, const Ledger& ledger) {
  Verdict verdict = ask("how_good", "How good is it?");
  verdict.rule = fmt::format(
      "The evaluation with the highest BLEU is judged. Not usable: BLEU below {}, or no better than copying the source "
      "(the whole interval must be above it). Gist: below {}. Good: from there on. These limits are judgements; BLEU "
      "depends on languages and text. The best of several evaluations flatters a little. The samples are those in the "
      "middle by their own BLEU.",
      kGistBleu, kGoodBleu);
  verdict.would_change = "Translate dev sentences at evaluations (train.eval_every).";
  const JudgedEvaluation judged = judged_evaluation(run);
  const double bleu = judged.best.value;
  if (!is_known(bleu)) return cannot_tell(verdict, why_not_known(run));
  const bool kept = !judged.sentences.bleu.empty();
  const Bounds bounds = kept ? interval_of(judged.options, judged.sentences.bleu) : Bounds{bleu, bleu};
  const Copying copied = copying(judged);
  add_figures(verdict, run, judged, bounds, copied);
  verdict.samples = typical_samples(judged);
  if (kept) {
    const std::string seed = std::to_string(kTestSeed);
    verdict.rule += fmt::format(
        " Signatures: BLEU {}, chrF {}.",
        with_samples(bleu_score(judged.sentences.bleu[0], 1, judged.options).signature, kBootstrapSamples, seed),
        with_samples(chrf_score(judged.sentences.chrf[0], 1).signature, kBootstrapSamples, seed));
  }
  if (has_no_words(judged)) {
    verdict.would_change = "Set evaluate.tokenize: char.";
    return cannot_tell(verdict, fmt::format("nothing separates the words of the references, and BLEU with tokeniser {} "
                                            "({:.2f}) counts words.",
                                            tokenizer_name(judged.options.tokenizer), bleu));
  }
  const bool copies = is_known(copied.bleu) && bounds.low <= copied.bleu;
  const bool usable = bleu >= kGistBleu && !copies;
  verdict.finding = !usable ? Grade::kBad : bleu >= kGoodBleu ? Grade::kGood : Grade::kNeutral;
  verdict.sentence = !usable ? "Not usable" : bleu >= kGoodBleu ? "Good" : "It gives the gist";
  verdict.sentence += run.imported ? fmt::format(", by the BLEU of its log, whose kind is not on record: {:.2f}", bleu)
                                   : fmt::format(": BLEU {:.2f}", bleu);
  if (kept) verdict.sentence += fmt::format(" ({:.1f} to {:.1f})", bounds.low, bounds.high);
  if (is_known(judged.chrf)) verdict.sentence += fmt::format(" and chrF {:.2f}", judged.chrf);
  if (kept) verdict.sentence += fmt::format(" on {} dev sentences", sentences_text(judged.sentences));
  verdict.sentence += fmt::format(" at step {}", counted(static_cast<double>(judged.best.step)));
  if (const auto divergence = find_divergence(run, ledger); divergence && judged.best.step < divergence->step) {
    verdict.sentence += ", before it diverged";
  }
  if (is_known(copied.bleu)) {
    verdict.sentence += copies ? fmt::format(". Copying the source scores {:.2f}, which {}", copied.bleu,
                                             copied.bleu >= bleu ? "is as good" : "its interval does not exclude")
                               : fmt::format("; copying the source scores {:.2f}", copied.bleu);
  }
  verdict.sentence += ".";
  verdict.would_change = advice(run, verdict.finding, bleu);
  return verdict;
}

}  // namespace verbund
