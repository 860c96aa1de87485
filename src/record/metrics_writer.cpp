// SPDX-License-Identifier: Apache-2.0
#include "record/metrics_writer.h"

#include <sstream>

#include "core/error.h"
#include "core/file.h"
#include "core/log.h"
#include "core/wall_clock.h"
#include "evaluate/evaluation.h"
#include "record/dev_set_keys.h"

namespace verbund {
namespace {

bool is_evaluation(const Json& line) { return line.contains("dev_loss"); }

void add_extra(Json& line, const ExtraDevSeen& seen) {
  const Evaluation& dev = seen.dev;
  line[extra_dev_key(seen.name, "cross_entropy")] = dev.cross_entropy();
  if (dev.translations.empty()) return;
  line[extra_dev_key(seen.name, "bleu")] = dev.bleu.score;
  line[extra_dev_key(seen.name, "chrf")] = dev.chrf.score;
  line[extra_dev_key(seen.name, "exact_sentences")] = dev.exact_share();
}

}  // namespace

void MetricsWindow::add(const StepSeen& seen) {
  sums_.loss += seen.loss;
  ++sums_.steps;
  sums_.times.seconds += seen.times.seconds;
  sums_.times.waited += seen.times.waited;
  sums_.times.exposed += seen.times.exposed;
  sums_.times.exchange += seen.times.exchange;
  sums_.times.bytes += seen.times.bytes;
}

Json MetricsWindow::take(const StepSeen& last) {
  const auto tokens = static_cast<double>(sums_.loss.tokens), steps = static_cast<double>(sums_.steps);
  const StepTimes& times = sums_.times;
  Json line = {{"step", last.step},
               {"epoch", last.epoch},
               {"train_loss", sums_.loss.smoothed / tokens},  // the older name
               {"train_smoothed_loss", sums_.loss.smoothed / tokens},
               {"train_cross_entropy", sums_.loss.cross_entropy / tokens},
               {"train_accuracy", static_cast<double>(sums_.loss.correct) / tokens},
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
  if (last.mixture.is_object()) line.update(last.mixture);
  line["time"] = utc_time();
  forget();
  return line;
}

Json metrics_line(const EvaluationSeen& seen) {
  const Evaluation& dev = seen.dev;
  Json line = {{"step", seen.step},
               {"dev_loss", dev.smoothed()},  // the older name
               {"dev_smoothed_loss", dev.smoothed()},
               {"dev_cross_entropy", dev.cross_entropy()}};
  if (!dev.translations.empty()) {
    line["dev_bleu"] = dev.bleu.score;
    line["dev_bleu_signature"] = dev.bleu.signature;
    line["dev_chrf"] = dev.chrf.score;
    line["dev_chrf_signature"] = dev.chrf.signature;
    line["dev_exact_sentences"] = dev.exact_share();
  }
  if (dev.probe) {
    line["probe_loss"] = line["probe_smoothed_loss"] = dev.probe->mean();
    line["probe_cross_entropy"] = dev.probe->cross_entropy / static_cast<double>(dev.probe->tokens);
  }
  line["averaged_weights"] = seen.averaged;
  double seconds = dev.loss_seconds + dev.translate_seconds;
  for (const ExtraDevSeen& extra : seen.extra) {
    add_extra(line, extra);
    seconds += extra.dev.loss_seconds + extra.dev.translate_seconds;
  }
  line["evaluation_seconds"] = seconds;
  if (dev.teacher_forced_bleu) line["dev_teacher_forced_piece_bleu"] = *dev.teacher_forced_bleu;
  line["best"] = seen.best;
  line["time"] = utc_time();
  return line;
}

void MetricsWriter::begin(int64_t step) {
  keep_lines([&](const Json& line) { return line.at("step") <= step; });
  begun_ = step;
}

void MetricsWriter::metrics(const Json& line) {
  if (is_evaluation(line) && line.at("step") == begun_) drop_evaluation_of_begin();
  Json whole = line;
  whole["start"] = start_;
  if (file_->add_line(dump_json(whole)) || std::exchange(warned_, true)) return;
  warn("cannot write to {} (is the disk full?): training continues, but its metrics are lost", path_.string());
}

void MetricsWriter::drop_evaluation_of_begin() try {
  const int64_t step = std::exchange(begun_, -1);
  keep_lines([&](const Json& line) { return !is_evaluation(line) || line.at("step") != step; });
} catch (const Error& error) {
  warn("{} keeps both evaluations of the step that the run continued after: {}", path_.string(), error.what());
}

void MetricsWriter::keep_lines(const std::function<bool(const Json& line)>& is_kept) {
  std::string kept;
  size_t number = 0, damaged = 0, first_damaged = 0;
  std::istringstream lines(fs::exists(path_) ? read_file(path_) : "");
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const auto object = try_parse_json(line);
    const auto found = object.is_object() ? object.find("step") : object.end();
    if (found != object.end() && found->is_number_integer()) {
      if (is_kept(object)) kept += line + "\n";
    } else if (!lines.eof() && damaged++ == 0) {  // the last line may be incomplete
      first_damaged = number;
    }
  }
  if (damaged > 0) {
    const fs::path copy = path_.string() + ".damaged";
    write_file(copy, read_file(path_));
    warn("{}: {} lines are damaged, the first is line {}. They were removed; the original file is {}", path_.string(),
         damaged, first_damaged, copy.string());
  }
  write_file(path_, kept);
  file_ = std::make_unique<AppendFile>(path_);
}

}  // namespace verbund
