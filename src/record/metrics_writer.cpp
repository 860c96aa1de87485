#include "record/metrics_writer.h"

#include "core/wall_clock.h"
#include "evaluate/evaluation.h"

namespace verbund {

using Json = nlohmann::ordered_json;

void MetricsWriter::add(const StepSeen& seen) {
  window_.loss += seen.loss;
  ++window_.steps;
  window_.times.seconds += seen.times.seconds;
  window_.times.waited += seen.times.waited;
  window_.times.exposed += seen.times.exposed;
  window_.times.exchange += seen.times.exchange;
  window_.times.bytes += seen.times.bytes;
}

Json MetricsWriter::take(const StepSeen& last) {
  const auto tokens = static_cast<double>(window_.loss.tokens), steps = static_cast<double>(window_.steps);
  const StepTimes& times = window_.times;
  Json line = {{"step", last.step},
               {"epoch", last.epoch},
               {"train_loss", window_.loss.smoothed / tokens},
               {"train_cross_entropy", window_.loss.cross_entropy / tokens},
               {"train_accuracy", static_cast<double>(window_.loss.correct) / tokens},
               {"learning_rate", last.rate},
               {"gradient_norm", last.gradient_norm},
               {"seconds_per_step", times.seconds / steps},
               {"target_tokens_per_second", tokens / times.seconds},
               {"data_wait_seconds", times.waited},
               {"training_seconds", last.training_seconds},
               {"target_tokens", last.target_tokens}};
  if (workers_ > 1) {
    line["workers"] = workers_;
    line["exchange_seconds_per_step"] = times.exchange / steps;
    line["exchange_exposed_seconds_per_step"] = times.exposed / steps;
    line["exchange_bytes_sent_per_step"] = static_cast<double>(times.bytes) / steps;
  }
  line["time"] = utc_time();
  forget();
  return line;
}

Json metrics_line(const EvaluationSeen& seen) {
  const Evaluation& dev = seen.dev;
  Json line = {{"step", seen.step}, {"dev_loss", dev.smoothed()}, {"dev_cross_entropy", dev.cross_entropy()}};
  if (!dev.translations.empty()) {
    line["dev_bleu"] = dev.bleu.score;
    line["dev_bleu_signature"] = dev.bleu.signature;
    line["dev_chrf"] = dev.chrf.score;
    line["dev_chrf_signature"] = dev.chrf.signature;
    line["dev_exact_sentences"] = dev.exact_share();
  }
  if (dev.probe) {
    line["probe_loss"] = dev.probe->mean();
    line["probe_cross_entropy"] = dev.probe->cross_entropy / static_cast<double>(dev.probe->tokens);
  }
  line["averaged_weights"] = seen.averaged;
  line["evaluation_seconds"] = dev.loss_seconds + dev.translate_seconds;
  if (dev.teacher_forced_bleu) line["dev_teacher_forced_piece_bleu"] = *dev.teacher_forced_bleu;
  line["best"] = seen.best;
  line["time"] = utc_time();
  return line;
}

}  // namespace verbund
