// SPDX-License-Identifier: Apache-2.0
#include "train/console_log.h"

#include <cmath>

#include "core/columns.h"
#include "core/human.h"
#include "core/log.h"
#include "core/process.h"
#include "core/progress.h"
#include "evaluate/evaluation.h"
#include "train/run_description.h"

namespace verbund {
namespace {

// A sample takes little room, however long an untrained model goes on; evaluations/ has the whole translations.
constexpr size_t kSampleColumns = 80, kSampleLines = 2;

// It may be any number if training diverges.
std::string show_perplexity(double cross_entropy) {
  const double perplexity = std::exp(cross_entropy);
  return perplexity < 1e6 ? fmt::format("{:.2f}", perplexity) : fmt::format("{:.2e}", perplexity);
}

std::string show_scores(const Evaluation& dev) {
  return dev.translations.empty() ? "" : fmt::format("  BLEU {:.2f}  chrF {:.2f}", dev.bleu.score, dev.chrf.score);
}

// "100 of 600" sentences, if those that were translated are a part of all; else "".
std::string show_part(const Evaluation& dev) {
  const size_t translated = dev.translations.size(), all = dev.sentences.size();
  if (translated == 0 || translated == all) return "";
  return fmt::format("{} of {}", human_count(translated), human_count(all));
}

}  // namespace

ConsoleLog::ConsoleLog(const Run& run) : run_(run), log_(run.request.run), length_(run.length()) {}

void ConsoleLog::step(const StepSeen& seen) {
  sums_.exchange += seen.times.exchange;
  sums_.exposed += seen.times.exposed;
  sums_.bytes += seen.times.bytes;
  tokens_ += seen.loss.tokens;
  times_.steps.seconds += seen.times.seconds;
  ++times_.steps.times;
  ++steps_;
  times_.waiting += seen.times.waited;
  loss_ = seen.loss.cross_entropy / static_cast<double>(std::max<int64_t>(1, seen.loss.tokens));
  show_progress(run_.is_benchmark() ? times_.steps.times : seen.step);
}

void ConsoleLog::metrics(const Json& line) {
  if (!line.contains("train_cross_entropy")) return;
  const int64_t step = line.at("step"), steps = std::exchange(steps_, 0);
  const double seconds = line.at("seconds_per_step");
  log_.line(fmt::format("step {:>7}  epoch {:.2f}  loss {:.4f}  perplexity {}  {:.0f} tokens/s{}", step,
                        line.at("epoch").get<double>(), line.at("train_cross_entropy").get<double>(),
                        show_perplexity(line.at("train_cross_entropy")),
                        line.at("target_tokens_per_second").get<double>(),
                        length_.steps > step ? "  " + human_time_left(seconds_left(length_, step, times_)) : ""));
  shown_ = std::chrono::steady_clock::now();
  if (!run_.config.train.log_details) return;
  const double waited = line.at("data_wait_seconds").get<double>() / static_cast<double>(steps);
  const auto exposed = line.find("exchange_exposed_seconds_per_step");
  const std::string exchange =
      exposed != line.end() ? fmt::format("  exchange {:.1f} %", 100 * exposed->get<double>() / seconds) : "";
  log_.line(fmt::format("              rate {:.3g}  gradient {:.3f}  {:.3f} s/step  waiting {:.1f} %{}",
                        line.at("learning_rate").get<double>(), line.at("gradient_norm").get<double>(), seconds,
                        100 * waited / seconds, exchange));
}

void ConsoleLog::evaluation(const EvaluationSeen& seen) {
  const Evaluation& dev = seen.dev;
  const bool translated = !dev.translations.empty();
  if (translated) {
    ++times_.evaluations.times;
    times_.evaluations.seconds += seen.seconds;
  } else {
    times_.first_look += seen.seconds;
  }
  const std::string part = show_part(dev);
  log_.line(fmt::format("step {:>7}  dev loss {:.4f}  perplexity {}{}  ({}{}){}", seen.step, dev.cross_entropy(),
                        show_perplexity(dev.cross_entropy()), show_scores(dev), part.empty() ? "" : part + ", ",
                        human_duration(dev.loss_seconds + dev.translate_seconds), seen.best ? "  best" : ""),
            seen.best ? Colour::kGreen : Colour::kNone);
  for (const ExtraDevSeen& extra : seen.extra) {
    const Evaluation& other = extra.dev;
    const std::string of = show_part(other);
    log_.line(fmt::format("              dev-{} loss {:.4f}  perplexity {}{}{}", extra.name, other.cross_entropy(),
                          show_perplexity(other.cross_entropy()), show_scores(other),
                          of.empty() ? "" : "  (" + of + ")"));
  }
  if (translated && run_.config.train.log_details) {
    log_.line(fmt::format("              exact matches: {:.1f} % of {} sentences", 100 * dev.exact_share(),
                          dev.translations.size()));
  }
  if (dev.teacher_forced_bleu) {
    log_.line(fmt::format("  teacher-forced BLEU of pieces {:.2f} (as OpenSeq2Seq logged; not of translations)",
                          *dev.teacher_forced_bleu));
  }
  const auto samples = std::min(static_cast<size_t>(run_.config.evaluate.samples), dev.translations.size());
  for (size_t i = 0; i < samples; ++i) {
    const size_t pair = (static_cast<size_t>(seen.step) * 7 + i) % dev.translations.size();
    sample({seen.step, seen.set.sources[pair], seen.set.references[pair], dev.translations[pair]});
  }
  show_progress(seen.step);
}

void ConsoleLog::sample(const SampleSeen& seen) {
  const std::pair<const char*, const std::string&> rows[] = {
      {"source", seen.source}, {"target", seen.reference}, {"prediction", seen.prediction}};
  for (const auto& [name, text] : rows) {
    std::string start = fmt::format("  {:<12}", name);
    for (const std::string& line : first_lines(text, kSampleColumns - start.size(), kSampleLines)) {
      log_.line(start + line);
      start.assign(start.size(), ' ');
    }
  }
}

void ConsoleLog::event(const RunEvent& happened) {
  if (happened.printed) return log_.note(happened.line);  // perhaps by the watchdog's thread
  const auto seconds = [&] { return happened.details.at("seconds").get<double>(); };
  if (happened.event == "ready") {
    times_.starting = seconds() - times_.first_look - times_.evaluations.seconds;
    show_progress(happened.step);
  } else if (happened.event == "save") {
    times_.saves.seconds += seconds();
    ++times_.saves.times;
  } else if (happened.event == "saved") {
    times_.saves.seconds += seconds();
  } else if (happened.event == "benchmark") {
    log_benchmark();
  } else if (happened.event == "finish") {
    summarize("finished");
  } else if (happened.event == "stop") {
    summarize("stopped");
  }
  if (!happened.line.empty()) log_.paragraph(happened.line);
}

// The last lines of the log.
void ConsoleLog::summarize(const char* end) {
  live_.hide();
  const DatasetManifest& manifest = run_.dataset.manifest();
  const RunSummary summary = {end,
                              run_.state.step,
                              run_.first_step,
                              run_.seconds(),
                              times_,
                              run_.state.best.best(),
                              run_.request.run.string(),
                              run_.keeper->model(),
                              manifest.source_language,
                              manifest.target_language,
                              tags_of_all(run_.training)};
  for (const std::string& line : summary_lines(summary)) log_.line(line);
}

void ConsoleLog::log_benchmark() {
  const auto steps = static_cast<double>(times_.steps.times);
  log_.line(fmt::format("benchmark: {} step{}, {:.4f} s per step, {:.0f} target tokens per second, peak memory {}",
                        times_.steps.times, times_.steps.times == 1 ? "" : "s", times_.steps.seconds / steps,
                        static_cast<double>(tokens_) / times_.steps.seconds, human_bytes(peak_memory())));
  if (run_.workers.size() == 1) return;
  log_.paragraph(fmt::format(
      "exchange: {} workers, each sends {} per step in {:.4f} s, of which {:.1f} % are hidden by the backward pass",
      run_.workers.size(), human_bytes(sums_.bytes / static_cast<uint64_t>(times_.steps.times)), sums_.exchange / steps,
      100 * hidden_share(sums_.exchange, sums_.exposed)));
}

// Updates the status line; without one, prints a line to the console if there was none for long.
void ConsoleLog::show_progress(int64_t step) {
  const auto now = std::chrono::steady_clock::now();
  if (!has_status_line() && shown_ == std::chrono::steady_clock::time_point()) shown_ = now;  // the first line can wait
  if (!shows_progress() || length_.steps == 0 || now - shown_ < progress_interval()) return;
  shown_ = now;
  const std::string loss = times_.steps.times > 0 ? fmt::format(", loss {:.4f}", loss_) : "";
  const std::string left = times_.steps.times > 0 ? ", " + human_time_left(seconds_left(length_, step, times_)) : "";
  const Status status = {static_cast<double>(step) / static_cast<double>(length_.steps),
                         fmt::format("step {} of {}{}{}", human_count(static_cast<uint64_t>(step)),
                                     human_count(static_cast<uint64_t>(length_.steps)), loss, left)};
  if (has_status_line()) {
    live_.show(status);
  } else {
    log_line(status.text);
  }
}

}  // namespace verbund
