#include "train/run_report.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/columns.h"
#include "core/human.h"
#include "core/log.h"
#include "core/process.h"
#include "core/progress.h"

namespace verbund {

using Json = nlohmann::ordered_json;

namespace {

// Of a model that explodes it may be any number.
std::string show_perplexity(double cross_entropy) {
  const double perplexity = std::exp(cross_entropy);
  return perplexity < 1e6 ? fmt::format("{:.2f}", perplexity) : fmt::format("{:.2e}", perplexity);
}

}  // namespace

void RunReport::add(const StepResult& result, const StepTimes& times) {
  window_.loss += result.loss;
  ++window_.steps;
  window_.times.seconds += times.seconds;
  window_.times.waited += times.waited;
  window_.times.reduce.busy += times.reduce.busy;
  window_.times.reduce.exposed += times.reduce.exposed;
  window_.times.reduce.bytes += times.reduce.bytes;
  times_.steps.seconds += times.seconds;
  ++times_.steps.times;
  times_.waiting += times.waited;
  loss_ = result.loss.smoothed / static_cast<double>(std::max<int64_t>(1, result.loss.tokens));
}

void RunReport::log_step(RunLog& log, const RunState& state, const StepResult& result, const WorkerBatch& batch,
                         const RunLength& run) {
  const auto tokens = static_cast<double>(window_.loss.tokens), steps = static_cast<double>(window_.steps);
  const double loss = window_.loss.smoothed / tokens, plain = window_.loss.plain / tokens;
  const StepTimes& times = window_.times;
  const double seconds = times.seconds / steps;
  const double epoch = static_cast<double>(batch.position().epoch) +
                       static_cast<double>(batch.position().batch + 1) / static_cast<double>(batch.epoch_batches());
  log.line(fmt::format("step {:>7}  epoch {:.2f}  loss {:.4f}  perplexity {}  {:.0f} tokens/s{}", state.step, epoch,
                       loss, show_perplexity(plain), tokens / times.seconds,
                       run.steps > state.step ? "  " + human_time_left(seconds_left(run, state.step, times_)) : ""));
  if (config_.train.log_details) {
    const std::string exchange =
        workers_ > 1 ? fmt::format("  exchange {:.1f} %", 100 * times.reduce.exposed / times.seconds) : "";
    log.line(fmt::format("              rate {:.3g}  gradient {:.3f}  {:.3f} s/step  waiting {:.1f} %{}", result.rate,
                         result.gradient_norm, seconds, 100 * times.waited / times.seconds, exchange));
  }
  shown_ = std::chrono::steady_clock::now();
  Json line = {{"step", state.step},
               {"epoch", epoch},
               {"train_loss", loss},
               {"train_cross_entropy", plain},
               {"train_accuracy", static_cast<double>(window_.loss.right) / tokens},
               {"learning_rate", result.rate},
               {"gradient_norm", result.gradient_norm},
               {"seconds_per_step", seconds},
               {"target_tokens_per_second", tokens / times.seconds},
               {"data_wait_seconds", times.waited},
               {"training_seconds", state.training_seconds}};
  if (workers_ > 1) {
    line["workers"] = workers_;
    line["exchange_seconds_per_step"] = times.reduce.busy / steps;
    line["exchange_exposed_seconds_per_step"] = times.reduce.exposed / steps;
    line["exchange_bytes_sent_per_step"] = static_cast<double>(times.reduce.bytes) / steps;
  }
  log.metrics(line);
  forget();
}

void RunReport::log_evaluation(RunLog& log, const RunState& state, const Evaluation& dev, const TestSet& set,
                               bool averaged, bool best) {
  const double seconds = dev.loss_seconds + dev.translate_seconds;
  const bool translated = !dev.translations.empty();
  log.line(fmt::format("step {:>7}  dev loss {:.4f}  perplexity {}{}  ({}){}", state.step, dev.smoothed(),
                       show_perplexity(dev.cross_entropy()),
                       translated ? fmt::format("  BLEU {:.2f}  chrF {:.2f}", dev.bleu.score, dev.chrf.score) : "",
                       human_duration(seconds), best ? "  best" : ""),
           best ? Colour::kGreen : Colour::kNone);
  if (translated && config_.train.log_details) {
    log.line(fmt::format("              exactly the reference: {:.1f} % of {} sentences", 100 * dev.exact_share(),
                         dev.translations.size()));
  }
  if (dev.teacher_forced_bleu) {
    log.line(fmt::format("  teacher-forced BLEU of pieces {:.2f} (as OpenSeq2Seq logged; not a translation's)",
                         *dev.teacher_forced_bleu));
  }
  const auto samples = std::min(static_cast<size_t>(config_.evaluate.samples), dev.translations.size());
  for (size_t i = 0; i < samples; ++i) {
    const size_t pair = (static_cast<size_t>(state.step) * 7 + i) % dev.translations.size();
    log_sample(log, set, pair, dev.translations[pair]);
  }
  Json line = {{"step", state.step}, {"dev_loss", dev.smoothed()}, {"dev_cross_entropy", dev.cross_entropy()}};
  if (translated) {
    line["dev_bleu"] = dev.bleu.score;
    line["dev_bleu_signature"] = dev.bleu.signature;
    line["dev_chrf"] = dev.chrf.score;
    line["dev_chrf_signature"] = dev.chrf.signature;
    line["dev_exact_sentences"] = dev.exact_share();
  }
  line["averaged_weights"] = averaged;
  line["evaluation_seconds"] = seconds;
  if (dev.teacher_forced_bleu) line["dev_teacher_forced_piece_bleu"] = *dev.teacher_forced_bleu;
  log.metrics(line);
}

void RunReport::log_sample(RunLog& log, const TestSet& set, size_t pair, const std::string& prediction) {
  const std::pair<const char*, const std::string&> rows[] = {
      {"source", set.sources[pair]}, {"target", set.references[pair]}, {"prediction", prediction}};
  for (const auto& [name, text] : rows) {
    std::string start = fmt::format("  {:<12}", name);
    for (const std::string& line : wrap_words(text, RunLog::kColumns - start.size())) {
      log.line(start + line);
      start.assign(start.size(), ' ');
    }
  }
}

void RunReport::log_benchmark(RunLog& log) const {
  const StepTimes& times = window_.times;
  const auto steps = static_cast<double>(window_.steps), tokens = static_cast<double>(window_.loss.tokens);
  log.line(fmt::format("benchmark: {} steps, {:.4f} s per step, {:.0f} target tokens per second, peak memory {}",
                       window_.steps, times.seconds / steps, tokens / times.seconds, human_bytes(peak_memory())));
  if (workers_ == 1) return;
  log.paragraph(fmt::format(
      "exchange: {} workers, each sends {} per step in {:.4f} s, of which {:.1f} % are hidden behind the backward pass",
      workers_, human_bytes(times.reduce.bytes / static_cast<uint64_t>(window_.steps)), times.reduce.busy / steps,
      100 * times.reduce.hidden_share()));
}

void RunReport::show_progress(int64_t step, const RunLength& run) {
  const auto now = std::chrono::steady_clock::now();
  if (!has_status_line() && shown_ == std::chrono::steady_clock::time_point()) shown_ = now;  // a line has time
  if (!shows_progress() || run.steps == 0 || now - shown_ < progress_interval()) return;
  shown_ = now;
  const std::string loss = times_.steps.times > 0 ? fmt::format(", loss {:.4f}", loss_) : "";
  const std::string left = times_.steps.times > 0 ? ", " + human_time_left(seconds_left(run, step, times_)) : "";
  const Status status = {static_cast<double>(step) / static_cast<double>(run.steps),
                         fmt::format("step {} of {}{}{}", human_count(static_cast<uint64_t>(step)),
                                     human_count(static_cast<uint64_t>(run.steps)), loss, left)};
  if (has_status_line()) {
    live_.show(status);
  } else {
    log_line(status.text);
  }
}

}  // namespace verbund
