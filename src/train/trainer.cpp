#include "train/trainer.h"

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>

#include "checkpoint/async_saver.h"
#include "checkpoint/checkpoint_store.h"
#include "config/load.h"
#include "config/show.h"
#include "config/value.h"
#include "core/error.h"
#include "core/human.h"
#include "core/interrupt.h"
#include "core/log.h"
#include "core/pipeline.h"
#include "core/process.h"
#include "core/progress.h"
#include "decode/trained_model.h"
#include "decode/translator.h"
#include "evaluate/evaluation.h"
#include "kernels/bf16.h"
#include "kernels/kernels.h"
#include "train/averaged_weights.h"
#include "train/compatibility.h"
#include "train/fit_batch.h"
#include "train/run_folder.h"
#include "train/run_log.h"
#include "train/run_state.h"
#include "train/threads.h"

namespace verbund {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Parameters whose names match are left alone by the optimiser.
std::vector<Interval> frozen_pieces(const ParameterTable& table, const std::string& pattern) {
  std::vector<Interval> pieces;
  if (pattern.empty()) return pieces;
  try {
    const std::regex expression(pattern);
    for (const Parameter& p : table.all()) {
      if (std::regex_search(p.name, expression)) {
        pieces.push_back({static_cast<size_t>(p.offset), static_cast<size_t>(p.offset + p.size)});
      }
    }
  } catch (const std::regex_error& error) {
    fail_usage("train.freeze \"{}\" is not a regular expression: {}", pattern, error.what());
  }
  if (pieces.empty()) fail_usage("train.freeze \"{}\" matches no parameter", pattern);
  return pieces;
}

// What has come together since the last line of the log.
struct Window {
  Loss loss;
  int64_t steps = 0;
  double seconds = 0;  // training alone
  double waited = 0;   // for data, part of seconds
};

class Trainer {
 public:
  explicit Trainer(const TrainRequest& request)
      : request_(request),
        folder_(request.run, request.resume == Resume::kNever || request.benchmark_steps > 0),
        dataset_(request.dataset),
        config_(settle(request.config)),
        config_yaml_(show(config_)),
        source_(dataset_.source_model()),
        target_(dataset_.target_model()),
        model_(make_fused_transformer(config_.model, sizes())),
        optimizer_(make_optimizer(config_.optimizer, model_->values().size())),
        schedule_(config_.schedule, config_.model.d_model),
        average_(config_.average, model_->values().size()),
        scaler_(make_loss_scaler(config_.loss_scale)),
        guard_(config_.train.divergence_factor, std::log(static_cast<double>(sizes().target))),
        best_(config_.evaluate),
        parts_{config_, *model_, *optimizer_, schedule_, average_, *scaler_},
        plan_(dataset_.split("train"), config_.batch, static_cast<uint64_t>(config_.seed)),
        store_(folder_.checkpoints(), config_.checkpoint),
        saver_(store_) {
    state_.dataset = dataset_.manifest().checksum();
    if (plan_.pairs() == 0) {
      fail("all {} training pairs are longer than batch.max_length {}", dataset_.split("train").size(),
           config_.batch.max_length);
    }
  }

  TrainOutcome run() {
    start();
    try {
      return train();
    } catch (const Interrupted&) {  // in an evaluation, which a resumed run makes up for
      return stop();
    }
  }

 private:
  TrainOutcome train() {
    if (state_.step == 0 ? config_.evaluate.at_start && !is_benchmark() : is_due(config_.train.eval_every)) evaluate();
    auto batches = prefetch();
    while (!finished()) {
      if (pending_interrupt() != 0) return stop();
      const auto began = Clock::now();
      const double waited_before = batches->seconds_waited();
      const WorkerBatch& batch = batches->next();
      const StepResult result = train_step(parts_, batch, state_.step);
      const std::string trouble = guard_.judge(mean(result.loss), !result.trouble);
      if (!trouble.empty()) {
        recover(trouble);
        batches = prefetch();
        continue;
      }
      ++state_.step;
      is_best_ = false;
      state_.position = batch.next();
      state_.target_tokens += result.loss.tokens;
      const double seconds = seconds_since(began);
      state_.training_seconds += seconds;
      add_to_window(result, seconds, batches->seconds_waited() - waited_before);
      if (!is_benchmark() && state_.step % config_.train.log_every == 0) log_step(result, batch);
      show_progress(result);
      if (is_due(config_.train.sample_every)) log_samples();
      if (is_due(config_.train.eval_every)) evaluate();
      if (is_due(config_.checkpoint.save_every_steps) || is_best_) save();
    }
    if (const std::string reason = best_.stop_reason(); !reason.empty()) log_->line("stopped early: " + reason);
    if (is_benchmark()) return log_benchmark();
    evaluate();
    save();
    saver_.finish();
    log_->line(fmt::format("finished: {} steps, {} of training; checkpoints in {}",
                           human_count(static_cast<uint64_t>(state_.step)), human_duration(state_.training_seconds),
                           store_.folder().string()));
    return TrainOutcome::kFinished;
  }

  bool is_benchmark() const { return request_.benchmark_steps > 0; }

  VocabularySizes sizes() const {
    return {static_cast<int64_t>(dataset_.manifest().source_vocabulary),
            static_cast<int64_t>(dataset_.manifest().target_vocabulary)};
  }

  static void use_precision(Precision precision) {
    if (precision == Precision::kFp16)
      fail_usage("train.precision fp16 needs a GPU; a CPU has fp32, and some have bf16");
    if (precision == Precision::kBf16 && !has_bf16_products()) {
      fail_usage("train.precision bf16 needs a processor with AVX512-BF16, which this one is not: take fp32");
    }
    use_bf16_products(precision == Precision::kBf16);
  }

  // Fills in what is left open, the same way in every part of the run.
  Config settle(Config config) const {
    use_precision(config.train.precision);
    tokenizer_named(config.evaluate.tokenize);  // refuses an unknown one now, not at the first evaluation
    if (config.batch.tokens != kAutomatic) return config;
    const NewestCheckpoint newest = newest_whole_checkpoint(folder_.checkpoints());
    if (newest.checkpoint) {
      Config earlier;
      load(parse_yaml(newest.checkpoint->config_yaml(), "the checkpoint's config.yaml"), earlier);
      config.batch.tokens = earlier.batch.tokens;
    } else {
      config.batch.tokens = tokens_that_fit(config, sizes());
    }
    config.train.micro_batch_tokens = std::max(config.train.micro_batch_tokens, config.batch.tokens);
    return config;
  }

  // To start anew over what may be weeks of work is not for us to decide.
  void refuse_damaged(const NewestCheckpoint& newest) const {
    if (newest.checkpoint || newest.damaged.empty()) return;
    std::string list;
    for (const DamagedCheckpoint& damaged : newest.damaged) {
      list += fmt::format("\n  {}: {}", damaged.entry.folder.string(), damaged.reason);
    }
    fail("all checkpoints of this run are damaged:{}\nTo start anew, delete {} or give another --run.", list,
         store_.folder().string());
  }

  void start() {
    optimizer_->freeze(frozen_pieces(model_->table(), config_.train.freeze));
    const NewestCheckpoint newest = store_.newest_whole();
    refuse_damaged(newest);
    if (newest.checkpoint) {
      if (request_.resume != Resume::kForce) {
        check_compatible(newest.checkpoint->config_yaml(), config_yaml_, newest.checkpoint->state_json(),
                         state_.dataset);
      }
      restore(*newest.checkpoint, parts_, guard_, best_, state_);
      store_.drop_after(state_.step);
      for (const auto& [link, step] : best_.links()) store_.name(link, step);
    } else {
      model_->table().initialize(static_cast<uint64_t>(config_.seed), model_->values());
      if (!config_.train.start_from.empty()) start_from(config_.train.start_from, *model_);
    }
    RunLog::drop_after(folder_.path(), newest.checkpoint ? state_.step : -1);
    log_ = std::make_unique<RunLog>(folder_.path());
    write_file(folder_.config(), config_yaml_);
    write_file(folder_.path() / kSourceVocabulary, read_file(dataset_.source_model()));
    write_file(folder_.path() / kTargetVocabulary, read_file(dataset_.target_model()));
    if (dataset_.has("dev")) dev_ = read_test_set(dataset_, "dev", source_, target_);
    log_->line(fmt::format(
        "{} {}: {} parameters, {} pieces; {} training pairs ({} longer than {} tokens left out), {} batches an epoch",
        newest.checkpoint ? fmt::format("resume at step {} of", state_.step) : "train", request_.run.string(),
        human_count(static_cast<uint64_t>(model_->table().count())), human_count(static_cast<uint64_t>(sizes().target)),
        human_count(plan_.pairs()), human_count(plan_.dropped_pairs()), config_.batch.max_length, plan_.batches(0)));
    log_->line(fmt::format("{}; {} kernels{}, {} threads", schedule_.describe(), kernels().name,
                           uses_bf16_products() ? " with bf16 products" : "", use_threads(config_.threads)));
  }

  std::unique_ptr<Prefetcher> prefetch() const {
    return std::make_unique<Prefetcher>(plan_, BatchShare{0, 1, config_.train.micro_batch_tokens}, state_.position);
  }

  bool finished() const {
    const TrainConfig& train = config_.train;
    if (!is_benchmark() && !best_.stop_reason().empty()) return true;
    if (is_benchmark()) return window_.steps >= request_.benchmark_steps;
    if (train.max_steps > 0 && state_.step >= train.max_steps) return true;
    return train.epochs > 0 && state_.position.epoch >= static_cast<uint64_t>(train.epochs);
  }

  bool is_due(int64_t every) const { return !is_benchmark() && every > 0 && state_.step % every == 0; }
  static double mean(const Loss& loss) {
    return loss.tokens == 0 ? 0 : loss.smoothed / static_cast<double>(loss.tokens);
  }

  void add_to_window(const StepResult& result, double seconds, double waited) {
    window_.loss += result.loss;
    ++window_.steps;
    window_.seconds += seconds;
    window_.waited += waited;
  }

  void log_step(const StepResult& result, const WorkerBatch& batch) {
    const auto tokens = static_cast<double>(window_.loss.tokens);
    const double loss = window_.loss.smoothed / tokens, plain = window_.loss.plain / tokens;
    const double seconds = window_.seconds / static_cast<double>(window_.steps);
    const double epoch = static_cast<double>(batch.position().epoch) +
                         static_cast<double>(batch.position().batch + 1) / static_cast<double>(batch.epoch_batches());
    std::string left;
    if (config_.train.max_steps > 0) {
      left = ", " + human_duration(seconds * static_cast<double>(config_.train.max_steps - state_.step)) + " left";
    }
    log_->line(
        fmt::format("step {:>7}  epoch {:.2f}  loss {:.4f}  perplexity {:.2f}  rate {:.3g}  gradient {:.3f}  "
                    "{:.3f} s/step  {:.0f} tokens/s  waiting {:.1f} %{}",
                    state_.step, epoch, loss, std::exp(plain), result.rate, result.gradient_norm, seconds,
                    tokens / window_.seconds, 100 * window_.waited / window_.seconds, left));
    log_->metrics({{"step", state_.step},
                   {"epoch", epoch},
                   {"train_loss", loss},
                   {"train_cross_entropy", plain},
                   {"train_accuracy", static_cast<double>(window_.loss.right) / tokens},
                   {"learning_rate", result.rate},
                   {"gradient_norm", result.gradient_norm},
                   {"seconds_per_step", seconds},
                   {"target_tokens_per_second", tokens / window_.seconds},
                   {"data_wait_seconds", window_.waited},
                   {"training_seconds", state_.training_seconds}});
    window_ = {};
  }

  // On a terminal, between the lines of the log.
  void show_progress(const StepResult& result) {
    const int64_t steps = request_.benchmark_steps > 0 ? request_.benchmark_steps : config_.train.max_steps;
    if (!on_terminal() || steps == 0 || seconds_since(drawn_) < 0.1) return;
    drawn_ = Clock::now();
    const int64_t done = request_.benchmark_steps > 0 ? window_.steps : state_.step;
    const double pace = state_.training_seconds / static_cast<double>(std::max<int64_t>(1, state_.step));
    draw_status(fmt::format("{} step {} of {}  loss {:.4f}  {} left",
                            bar(static_cast<double>(done) / static_cast<double>(steps)), done, steps, mean(result.loss),
                            human_duration(pace * static_cast<double>(steps - done))));
  }

  void log_sample(const TestSet& set, size_t pair, const std::string& prediction) {
    log_->line(fmt::format("  source      {}\n  target      {}\n  prediction  {}", set.sources[pair],
                           set.references[pair], prediction));
  }

  // One translation of the model as it is now.
  void log_samples() {
    if (!dev_) return;
    const size_t pair = static_cast<size_t>(state_.step) % dev_->size();
    TranslatorConfig config;
    config.search.config = config_.decode;
    const Translator translator({model_.get()}, source_, target_, config);
    log_sample(*dev_, pair, target_.decode(translator.translate_tokens({dev_->source_tokens[pair]})[0]));
  }

  void evaluate() {
    if (!dev_ || state_.last_evaluation == state_.step) return;
    const AveragedWeights averaged(*model_, average_);
    const Evaluation dev = verbund::evaluate(*model_, *dev_, source_, target_, config_.evaluate, config_.decode);
    state_.last_evaluation = state_.step;
    log_evaluation(dev);
    if (state_.step == 0) return;  // an untrained model is nobody's best
    std::map<std::string, double> values;
    for (const std::string& metric : best_.metrics()) values[metric] = dev.metric(metric);
    const std::vector<std::string> links = best_.record(state_.step, values);
    for (const std::string& link : links) store_.name(link, state_.step);
    is_best_ = !links.empty();
  }

  void log_evaluation(const Evaluation& dev) {
    const double seconds = dev.loss_seconds + dev.translate_seconds;
    log_->line(fmt::format(
        "step {:>7}  dev loss {:.4f}  perplexity {:.3f}  BLEU {:.2f}  chrF {:.2f}  exact {:.1f} % of {}  ({})",
        state_.step, dev.smoothed(), std::exp(dev.cross_entropy()), dev.bleu.score, dev.chrf.score,
        100 * dev.exact_share(), dev.translations.size(), human_duration(seconds)));
    if (dev.teacher_forced_bleu) {
      log_->line(fmt::format("  teacher-forced BLEU of pieces {:.2f} (as OpenSeq2Seq logged; not a translation's)",
                             *dev.teacher_forced_bleu));
    }
    const auto samples = std::min(static_cast<size_t>(config_.evaluate.samples), dev.translations.size());
    for (size_t i = 0; i < samples; ++i) {
      const size_t pair = (static_cast<size_t>(state_.step) * 7 + i) % dev.translations.size();
      log_sample(*dev_, pair, dev.translations[pair]);
    }
    Json line = {{"step", state_.step},
                 {"dev_loss", dev.smoothed()},
                 {"dev_cross_entropy", dev.cross_entropy()},
                 {"dev_bleu", dev.bleu.score},
                 {"dev_bleu_signature", dev.bleu.signature},
                 {"dev_chrf", dev.chrf.score},
                 {"dev_chrf_signature", dev.chrf.signature},
                 {"dev_exact_sentences", dev.exact_share()},
                 {"averaged_weights", average_.started()},
                 {"evaluation_seconds", seconds}};
    if (dev.teacher_forced_bleu) line["dev_teacher_forced_piece_bleu"] = *dev.teacher_forced_bleu;
    log_->metrics(line);
  }

  void save() {
    if (last_saved_ == state_.step && saved_evaluation_ == state_.last_evaluation) return;
    saver_.start(take_snapshot(parts_, guard_, best_, state_, config_yaml_));
    last_saved_ = state_.step;
    saved_evaluation_ = state_.last_evaluation;
  }

  TrainOutcome stop() {
    if (is_benchmark()) return TrainOutcome::kInterrupted;
    log_->line(fmt::format("stopping after step {}: saving", state_.step));
    save();
    saver_.finish();
    log_->line("saved; the same command goes on from here");
    return TrainOutcome::kInterrupted;
  }

  void recover(const std::string& trouble) {
    saver_.finish();
    log_->line(fmt::format("step {}: {}", state_.step + 1, trouble));
    const NewestCheckpoint newest = store_.newest_whole();
    if (config_.train.on_divergence == OnDivergence::kStop || !newest.checkpoint ||
        state_.roll_backs >= config_.train.roll_backs) {
      fail(
          "training diverged at step {}: {}. Try a smaller schedule.learning_rate (it was {:.3g} here) or a longer "
          "warm-up, or optimizer.clip_norm; the last good checkpoint is {}.",
          state_.step + 1, trouble, schedule_.rate(state_.step) * parts_.rate_factor,
          newest.checkpoint ? newest.checkpoint->folder().string() : "none: nothing was saved yet");
    }
    const double factor = parts_.rate_factor / 2;
    const int64_t roll_backs = state_.roll_backs + 1;
    restore(*newest.checkpoint, parts_, guard_, best_, state_);
    parts_.rate_factor = factor;
    state_.roll_backs = roll_backs;
    window_ = {};
    log_.reset();
    RunLog::drop_after(folder_.path(), state_.step);
    log_ = std::make_unique<RunLog>(folder_.path());
    log_->line(fmt::format("back to step {} with {:.3g} of the rate ({} of {} roll-backs)", state_.step, factor,
                           roll_backs, config_.train.roll_backs));
  }

  TrainOutcome log_benchmark() {
    const auto steps = static_cast<double>(window_.steps), tokens = static_cast<double>(window_.loss.tokens);
    log_->line(fmt::format("benchmark: {} steps, {:.4f} s per step, {:.0f} target tokens per second, peak memory {}",
                           window_.steps, window_.seconds / steps, tokens / window_.seconds,
                           human_bytes(peak_memory())));
    return TrainOutcome::kFinished;
  }

  const TrainRequest& request_;
  RunFolder folder_;
  Dataset dataset_;
  const Config config_;
  std::string config_yaml_;
  Subwords source_, target_;
  std::optional<TestSet> dev_;
  std::unique_ptr<DecodableModel> model_;
  std::unique_ptr<Optimizer> optimizer_;
  Schedule schedule_;
  WeightAverage average_;
  std::unique_ptr<LossScaler> scaler_;
  DivergenceGuard guard_;
  BestTracker best_;
  bool is_best_ = false;  // the model as it is now, by some metric
  StepParts parts_;
  BatchPlan plan_;
  CheckpointStore store_;
  AsyncSaver saver_;
  std::unique_ptr<RunLog> log_;
  RunState state_;
  Window window_;
  Clock::time_point drawn_;
  int64_t last_saved_ = -1, saved_evaluation_ = -1;
};

}  // namespace

TrainOutcome train(const TrainRequest& request) {
  keep_freed_memory();
  use_threads(request.config.threads);
  if (request.config.train.max_steps == 0 && request.config.train.epochs == 0 && request.benchmark_steps == 0) {
    fail_usage("say how long to train: --set train.max_steps=N or --set train.epochs=N");
  }
  return Trainer(request).run();
}

}  // namespace verbund
