#include "train/run_report.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/human.h"
#include "core/log.h"
#include "core/process.h"
#include "core/progress.h"

namespace verbund {

using Json = nlohmann::ordered_json;

void RunReport::add(const StepResult& result, const StepTimes& times) {
  window_.loss += result.loss;
  ++window_.steps;
  window_.times.seconds += times.seconds;
  window_.times.waited += times.waited;
  window_.times.reduce.busy += times.reduce.busy;
  window_.times.reduce.exposed += times.reduce.exposed;
  window_.times.reduce.bytes += times.reduce.bytes;
}

void RunReport::log_step(RunLog& log, const RunState& state, const StepResult& result, const WorkerBatch& batch) {
  const auto tokens = static_cast<double>(window_.loss.tokens), steps = static_cast<double>(window_.steps);
  const double loss = window_.loss.smoothed / tokens, plain = window_.loss.plain / tokens;
  const StepTimes& times = window_.times;
  const double seconds = times.seconds / steps;
  const double epoch = static_cast<double>(batch.position().epoch) +
                       static_cast<double>(batch.position().batch + 1) / static_cast<double>(batch.epoch_batches());
  std::string more;
  if (workers_ > 1) more = fmt::format("  exchange {:.1f} %", 100 * times.reduce.exposed / times.seconds);
  if (config_.train.max_steps > 0) {
    more += ", " + human_duration(seconds * static_cast<double>(config_.train.max_steps - state.step)) + " left";
  }
  log.line(
      fmt::format("step {:>7}  epoch {:.2f}  loss {:.4f}  perplexity {:.2f}  rate {:.3g}  gradient {:.3f}  "
                  "{:.3f} s/step  {:.0f} tokens/s  waiting {:.1f} %{}",
                  state.step, epoch, loss, std::exp(plain), result.rate, result.gradient_norm, seconds,
                  tokens / times.seconds, 100 * times.waited / times.seconds, more));
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
                               bool averaged) {
  const double seconds = dev.loss_seconds + dev.translate_seconds;
  log.line(fmt::format(
      "step {:>7}  dev loss {:.4f}  perplexity {:.3f}  BLEU {:.2f}  chrF {:.2f}  exact {:.1f} % of {}  ({})",
      state.step, dev.smoothed(), std::exp(dev.cross_entropy()), dev.bleu.score, dev.chrf.score,
      100 * dev.exact_share(), dev.translations.size(), human_duration(seconds)));
  if (dev.teacher_forced_bleu) {
    log.line(fmt::format("  teacher-forced BLEU of pieces {:.2f} (as OpenSeq2Seq logged; not a translation's)",
                         *dev.teacher_forced_bleu));
  }
  const auto samples = std::min(static_cast<size_t>(config_.evaluate.samples), dev.translations.size());
  for (size_t i = 0; i < samples; ++i) {
    const size_t pair = (static_cast<size_t>(state.step) * 7 + i) % dev.translations.size();
    log_sample(log, set, pair, dev.translations[pair]);
  }
  Json line = {{"step", state.step},
               {"dev_loss", dev.smoothed()},
               {"dev_cross_entropy", dev.cross_entropy()},
               {"dev_bleu", dev.bleu.score},
               {"dev_bleu_signature", dev.bleu.signature},
               {"dev_chrf", dev.chrf.score},
               {"dev_chrf_signature", dev.chrf.signature},
               {"dev_exact_sentences", dev.exact_share()},
               {"averaged_weights", averaged},
               {"evaluation_seconds", seconds}};
  if (dev.teacher_forced_bleu) line["dev_teacher_forced_piece_bleu"] = *dev.teacher_forced_bleu;
  log.metrics(line);
}

void RunReport::log_sample(RunLog& log, const TestSet& set, size_t pair, const std::string& prediction) {
  log.line(fmt::format("  source      {}\n  target      {}\n  prediction  {}", set.sources[pair], set.references[pair],
                       prediction));
}

void RunReport::log_benchmark(RunLog& log) const {
  const StepTimes& times = window_.times;
  const auto steps = static_cast<double>(window_.steps), tokens = static_cast<double>(window_.loss.tokens);
  log.line(fmt::format("benchmark: {} steps, {:.4f} s per step, {:.0f} target tokens per second, peak memory {}",
                       window_.steps, times.seconds / steps, tokens / times.seconds, human_bytes(peak_memory())));
  if (workers_ == 1) return;
  log.line(fmt::format(
      "exchange: {} workers, each sends {} per step in {:.4f} s, of which {:.1f} % are hidden behind the backward pass",
      workers_, human_bytes(times.reduce.bytes / static_cast<uint64_t>(window_.steps)), times.reduce.busy / steps,
      100 * times.reduce.hidden_share()));
}

void RunReport::show_progress(const StepResult& result, double pace, int64_t done, int64_t steps) {
  const auto now = std::chrono::steady_clock::now();
  if (!on_terminal() || steps == 0 || now - drawn_ < std::chrono::milliseconds(100)) return;
  drawn_ = now;
  const double loss = result.loss.smoothed / static_cast<double>(std::max<int64_t>(1, result.loss.tokens));
  draw_status(fmt::format("{} step {} of {}  loss {:.4f}  {} left",
                          bar(static_cast<double>(done) / static_cast<double>(steps)), done, steps, loss,
                          human_duration(pace * static_cast<double>(steps - done))));
}

}  // namespace verbund
