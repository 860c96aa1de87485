#include "train/trainer.h"

#include <chrono>
#include <cmath>
#include <optional>

#include "checkpoint/checkpoint_links.h"
#include "comm/mpi_transport.h"
#include "config/load.h"
#include "config/show.h"
#include "config/value.h"
#include "core/error.h"
#include "core/hash.h"
#include "core/human.h"
#include "core/interrupt.h"
#include "core/process.h"
#include "decode/translator.h"
#include "evaluate/evaluation.h"
#include "kernels/bf16.h"
#include "kernels/kernels.h"
#include "optim/clip.h"
#include "train/agreement.h"
#include "train/averaged_weights.h"
#include "train/compatibility.h"
#include "train/fit_batch.h"
#include "train/freeze.h"
#include "train/hosts.h"
#include "train/run_keeper.h"
#include "train/run_report.h"
#include "train/run_state.h"
#include "train/run_summary.h"
#include "train/threads.h"

namespace verbund {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void use_precision(Precision precision) {
  if (precision == Precision::kFp16) fail_usage("train.precision fp16 needs a GPU; a CPU has fp32, and some have bf16");
  if (precision == Precision::kBf16 && !has_bf16_products()) {
    fail_usage("train.precision bf16 needs a processor with AVX512-BF16, which this one is not: take fp32");
  }
  use_bf16_products(precision == Precision::kBf16);
}

// The weights of this step have a loss that is not finite or explodes. Thrown by all workers.
struct Diverged {
  std::string trouble;
};

// All workers go through the same code and take the same branches, for what they decide on is the
// same on all of them. Worker 0 alone has a keeper: it reads and writes the run folder, and speaks.
class Trainer {
 public:
  Trainer(const TrainRequest& request, Workers& workers)
      : request_(request),
        workers_(workers),
        threads_(use_threads(workers, request.config.threads)),
        dataset_(agreed_dataset()),
        keeper_(make_keeper()),
        config_(settle(request.config)),
        config_yaml_(show(config_)),
        source_(dataset_.source_model()),
        target_(dataset_.target_model()),
        model_(make_fused_transformer(config_.model, sizes())),
        reducer_(workers, model_->gradients(), config_.workers),
        optimizer_(make_optimizer(config_.optimizer, model_->values().size(), reducer_.owned())),
        schedule_(config_.schedule, config_.model.d_model),
        average_(config_.average, model_->values().size()),
        scaler_(make_loss_scaler(config_.loss_scale)),
        guard_(config_.train.divergence_factor, std::log(static_cast<double>(sizes().target))),
        best_(config_.evaluate),
        parts_{config_, workers, *model_, reducer_, *optimizer_, schedule_, average_, *scaler_},
        plan_(dataset_.split("train"), config_.batch, static_cast<uint64_t>(config_.seed)),
        report_(config_, workers.size()) {
    state_.dataset = dataset_.manifest().checksum();
    const DatasetManifest& manifest = dataset_.manifest();
    state_.source_vocabulary = manifest.files.at(manifest.source_model).checksum;
    state_.target_vocabulary = manifest.files.at(manifest.target_model).checksum;
    if (plan_.pairs() == 0) {
      fail("all {} training pairs are longer than batch.max_length {}", dataset_.split("train").size(),
           config_.batch.max_length);
    }
  }

  ~Trainer() { workers_.set_log({}); }

  int run() {
    // None of several leaves alone: a signal waits until a step has told the others.
    std::optional<DeferInterrupts> together;
    if (workers_.size() > 1) together.emplace();
    try {
      start();
      const int signal = train_to_end();
      const std::string reason = signal == 0 ? "finished" : "stopped by " + signal_name(signal);
      if (keeper_) keeper_->record_stop(fmt::format("{} at step {}", reason, state_.step));
      return signal;
    } catch (const std::exception& error) {
      if (keeper_) keeper_->record_failure(fmt::format("ended at step {}: {}", state_.step, error.what()));
      throw;
    }
  }

 private:
  // Through divergences, as often as the configuration allows.
  int train_to_end() {
    while (true) {
      try {
        return train();
      } catch (const Diverged& diverged) {
        recover(diverged.trouble);
      } catch (const Interrupted&) {  // in an evaluation, which a resumed run makes up for
        return stop(pending_interrupt());
      }
    }
  }

  int train() {
    if (state_.step == 0 ? config_.evaluate.at_start && !is_benchmark() : is_due(config_.train.eval_every)) evaluate();
    auto batches = prefetch();
    RunTimes& times = report_.times();
    if (times.steps.times == 0) times.starting = seconds_since(began_) - times.first_look - times.evaluations.seconds;
    if (keeper_) report_.show_progress(state_.step, length_);
    while (!finished()) {
      const auto began = Clock::now();
      const double waited_before = batches->seconds_waited();
      const WorkerBatch& batch = batches->next();
      const StepResult result = train_step(parts_, batch, state_.step);
      const std::string trouble = guard_.judge(mean(result.loss), !result.trouble);
      if (!trouble.empty()) throw Diverged{trouble};
      ++state_.step;
      is_best_ = false;
      state_.position = batch.next();
      state_.target_tokens += result.loss.tokens;
      const double seconds = seconds_since(began);
      state_.training_seconds += seconds;
      report_.add(result, {seconds, batches->seconds_waited() - waited_before, reducer_.times()});
      if (keeper_) log_step(result, batch);
      if (is_due(config_.train.sample_every)) log_samples();
      if (is_due(config_.workers.check_every)) check_weights(workers_, model_->values(), state_.step);
      if (is_due(config_.train.eval_every)) evaluate();
      if (is_due(config_.checkpoint.save_every_steps) || is_best_) save();
      if (result.stop_signal != 0) return stop(result.stop_signal);
    }
    if (is_benchmark()) {
      if (keeper_) report_.log_benchmark(keeper_->log());
      return 0;
    }
    say([&] { return best_.stop_reason().empty() ? "" : "stopped early: " + best_.stop_reason(); });
    evaluate();
    save();
    finish_saving();
    summarize("finished");
    return 0;
  }

  bool is_benchmark() const { return request_.benchmark_steps > 0; }

  // A line of the log, made and written by worker 0.
  template <typename MakeLine>
  void say(MakeLine make_line) {
    if (!keeper_) return;
    if (const std::string line = make_line(); !line.empty()) keeper_->log().line(line);
  }

  VocabularySizes sizes() const {
    return {static_cast<int64_t>(dataset_.manifest().source_vocabulary),
            static_cast<int64_t>(dataset_.manifest().target_vocabulary)};
  }

  Dataset agreed_dataset() {
    Dataset dataset(request_.dataset);
    const std::string purpose =
        fmt::format("--resume {}{}", kResumeNames[static_cast<size_t>(request_.resume)],
                    is_benchmark() ? fmt::format(" --benchmark {}", request_.benchmark_steps) : "");
    check_agreement(workers_, {request_.program, purpose, dataset.manifest().checksum(), show(request_.config)});
    verified_ = verify_together(workers_, dataset);
    return dataset;
  }

  std::unique_ptr<RunKeeper> make_keeper() const {
    if (!workers_.leads()) return nullptr;
    return std::make_unique<RunKeeper>(request_.run, request_.resume == Resume::kNever || is_benchmark(),
                                       request_.config.checkpoint);
  }

  // Fills in what is left open, the same way in every part of the run.
  Config settle(Config config) const {
    use_precision(config.train.precision);
    tokenizer_named(config.evaluate.tokenize);  // refuses an unknown one now, not at the first evaluation
    if (config.batch.tokens != kAutomatic) return config;
    double tokens = 0, at_once = 0;  // of all workers; of one of them
    if (const Checkpoint* newest = keeper_ ? keeper_->find_newest() : nullptr) {
      Config earlier;
      load(parse_yaml(newest->config_yaml(), "the checkpoint's config.yaml"), earlier);
      tokens = static_cast<double>(earlier.batch.tokens);
      at_once = static_cast<double>(earlier.train.micro_batch_tokens);
    }
    tokens = workers_.max(tokens);
    at_once = workers_.max(at_once);
    if (tokens == 0) {
      at_once = workers_.min(static_cast<double>(tokens_that_fit(config, sizes(), workers_.self().local_size)));
      tokens = at_once * workers_.size();
    }
    config.batch.tokens = static_cast<int64_t>(tokens);
    config.train.micro_batch_tokens = static_cast<int64_t>(at_once);
    return config;
  }

  void start() {
    if (!config_.evaluate.stop_on.empty() && (!dataset_.has("dev") || config_.train.eval_every == 0)) {
      fail_usage("evaluate.stop_on={} needs {}", config_.evaluate.stop_on,
                 dataset_.has("dev") ? "evaluations: set train.eval_every" : "dev pairs, and the dataset has none");
    }
    optimizer_->freeze(frozen_parameters(model_->table(), config_.train.freeze));
    const bool best = request_.resume == Resume::kBest;
    const Checkpoint* newest = !keeper_ ? nullptr : best ? keeper_->find_best() : keeper_->find_newest();
    if (newest != nullptr) check_compatible(*newest);
    const bool resumed = workers_.any(newest != nullptr);
    if (resumed) {
      restore(newest, parts_, guard_, best_, state_);
      if (workers_.any(!differences_.empty())) guard_.set_mean(0);  // of losses that cannot be compared
      // Forced onto other data, an epoch may be shorter than the part of it that is done.
      if (BatchPosition& at = state_.position; at.batch >= plan_.batches(at.epoch)) at = {at.epoch + 1, 0};
    } else {
      model_->table().initialize(static_cast<uint64_t>(config_.seed), model_->values());
      if (keeper_ && !config_.train.start_from.empty()) start_from(config_.train.start_from, *model_);
      workers_.broadcast(model_->values());
    }
    if (dataset_.has("dev")) dev_ = read_test_set(dataset_, "dev", source_, target_);
    const RunRecord::Json hosts = describe_hosts(workers_, threads_);
    if (keeper_) introduce(resumed, hosts);
    first_step_ = state_.step;
    length_ = {planned_steps(), config_.train.eval_every, config_.checkpoint.save_every_steps, dev_.has_value()};
  }

  // As many as the run will have, if it is not stopped early; epochs are taken to be of the same length.
  int64_t planned_steps() const {
    if (is_benchmark()) return request_.benchmark_steps;
    const TrainConfig& train = config_.train;
    const BatchPosition& at = state_.position;
    const auto epochs = train.epochs - static_cast<int64_t>(at.epoch);
    if (train.epochs == 0 || epochs <= 0) return train.max_steps;
    const auto an_epoch = static_cast<int64_t>(plan_.batches(at.epoch));
    const int64_t steps = state_.step + epochs * an_epoch - static_cast<int64_t>(at.batch);
    return train.max_steps > 0 ? std::min(train.max_steps, steps) : steps;
  }

  void check_compatible(const Checkpoint& newest) {
    differences_ = differences_that_matter(newest.config_yaml(), config_yaml_, newest.state_json(), state_.dataset);
    for (std::string& difference : what_starts_anew(newest, parts_)) differences_.push_back(std::move(difference));
    if (differences_.empty() || request_.resume == Resume::kForce || request_.resume == Resume::kBest) return;
    fail(
        "the run cannot go on, for it was started differently:\n  {}\nGive another --run folder to train anew, or "
        "--resume force to go on all the same.",
        fmt::join(differences_, "\n  "));
  }

  // The watch's warnings go there as well.
  RunLog& begin_log() {
    workers_.set_log({});
    keeper_->begin_at(state_.step);
    for (const auto& [link, step] : best_.links()) keeper_->name(link, step);
    RunLog& log = keeper_->log();
    workers_.set_log([this, &log](const std::string& line, bool last) {
      log.note(line);
      if (last) keeper_->record_stop(line);
    });
    return log;
  }

  void introduce(bool resumed, const RunRecord::Json& hosts) {
    state_.origin = keeper_->origin();
    state_.origin.program = request_.program;
    RunLog& log = begin_log();
    keeper_->record_start({request_.program, request_.command, mpi_library(), state_.step, hosts,
                           describe_dataset(request_.dataset, state_.dataset)});
    keeper_->write_description(config_yaml_, dataset_);
    log.line(fmt::format("{} {}: {} parameters, {} pieces",
                         resumed ? fmt::format("resume at step {} of", state_.step) : "train", request_.run.string(),
                         human_count(static_cast<uint64_t>(model_->table().count())),
                         human_count(static_cast<uint64_t>(sizes().target))));
    log.line(fmt::format("{} training pairs ({} longer than {} tokens left out), {} batches an epoch",
                         human_count(plan_.pairs()), human_count(plan_.dropped_pairs()), config_.batch.max_length,
                         plan_.batches(0)));
    log.paragraph(schedule_.describe());
    log.line(fmt::format("{} kernels{}, {} thread{}", kernels().name, uses_bf16_products() ? " with bf16 products" : "",
                         threads_, threads_ == 1 ? "" : "s"));
    log.line(verified_);
    for (const std::string& difference : differences_) log.paragraph("going on although " + difference);
    if (!dev_) log.line("the dataset has no dev pairs: there is no evaluation, and no best checkpoint");
    if (workers_.size() > 1) log.paragraph(describe(workers_, config_.workers));
    warn_of_crowding(workers_, threads_);
  }

  BatchShare share() const { return {workers_.rank(), workers_.size(), config_.train.micro_batch_tokens}; }
  std::unique_ptr<Prefetcher> prefetch() const { return std::make_unique<Prefetcher>(plan_, share(), state_.position); }

  bool finished() const {
    const TrainConfig& train = config_.train;
    if (!is_benchmark() && !best_.stop_reason().empty()) return true;
    if (is_benchmark()) return report_.steps() >= request_.benchmark_steps;
    if (train.max_steps > 0 && state_.step >= train.max_steps) return true;
    return train.epochs > 0 && state_.position.epoch >= static_cast<uint64_t>(train.epochs);
  }

  bool is_due(int64_t every) const { return !is_benchmark() && every > 0 && state_.step % every == 0; }
  static double mean(const Loss& loss) {
    return loss.tokens == 0 ? 0 : loss.smoothed / static_cast<double>(loss.tokens);
  }

  void log_step(const StepResult& result, const WorkerBatch& batch) {
    say([&] { return reducer_.take_report(); });
    const bool logs = !is_benchmark() && state_.step % config_.train.log_every == 0;
    if (logs) report_.log_step(keeper_->log(), state_, result, batch, length_);
    report_.show_progress(is_benchmark() ? report_.steps() : state_.step, length_);
  }

  // One translation of the model as it is now.
  void log_samples() {
    if (!dev_ || !keeper_) return;
    const size_t pair = static_cast<size_t>(state_.step) % dev_->size();
    TranslatorConfig config;
    config.search.config = decode_config(config_);
    const Translator translator({model_.get()}, source_, target_, config);
    const Sentence translation = translator.translate_tokens({dev_->source_tokens[pair]})[0];
    RunReport::log_sample(keeper_->log(), *dev_, pair, target_.decode(translation));
  }

  // A step's loss judges the weights of the step before it. So, before weights are evaluated or saved, the next batch
  // judges them: what is on disk is good, however the run ends. Returns what is wrong with them, or "".
  std::string trouble_with_weights() {
    if (judged_ == state_.step) return "";
    workers_.at(state_.step, "judging the weights");
    WorkerBatch next;
    next.fill(plan_, share(), state_.position);
    const bool finite = !workers_.any(!measure(model_->values()).finite());
    std::string trouble = finite ? guard_.trouble_with(mean_loss(parts_, next)) : "a weight is not finite";
    if (trouble.empty()) judged_ = state_.step;
    return trouble;
  }
  void judge_weights() {
    if (const std::string trouble = trouble_with_weights(); !trouble.empty()) throw Diverged{trouble};
  }

  void evaluate() {
    if (!dev_ || state_.last_evaluation == state_.step) return;
    judge_weights();
    workers_.at(state_.step, "evaluation");
    report_.hide_progress();
    const AveragedWeights averaged(*model_, average_);
    const Judge judge = state_.step == 0 ? Judge::kLossAlone : Judge::kAll;  // an untrained model babbles without end
    RunTimes& times = report_.times();
    const SpentTimer timer(state_.step == 0 ? times.first_look : times.evaluations.seconds);
    const Evaluation dev =
        verbund::evaluate(*model_, *dev_, source_, target_, config_.evaluate, decode_config(config_), workers_, judge);
    state_.last_evaluation = state_.step;
    std::vector<std::string> links;
    if (judge == Judge::kAll) {  // an untrained model is nobody's best
      ++times.evaluations.times;
      std::map<std::string, double> values;
      for (const std::string& metric : best_.metrics()) values[metric] = dev.metric(metric);
      links = best_.record(state_.step, values);
    }
    is_best_ = !links.empty();
    if (!keeper_) return;
    report_.log_evaluation(keeper_->log(), state_, dev, *dev_, average_.started(), is_best_);
    report_.show_progress(state_.step, length_);
    for (const std::string& link : links) keeper_->name(link, state_.step);
  }

  void save() {
    if (last_saved_ == state_.step && saved_evaluation_ == state_.last_evaluation) return;
    judge_weights();
    workers_.at(state_.step, "saving", true);
    const SpentTimer timer(report_.times().saves.seconds);
    ++report_.times().saves.times;
    CollectedState collected;
    const CheckpointSnapshot snapshot = take_snapshot(parts_, guard_, best_, state_, config_yaml_, collected);
    if (keeper_) keeper_->save(snapshot);
    last_saved_ = state_.step;
    saved_evaluation_ = state_.last_evaluation;
  }

  void finish_saving() {
    workers_.at(state_.step, "saving", true);
    const SpentTimer timer(report_.times().saves.seconds);
    if (keeper_) keeper_->finish_saving();
  }

  // The last lines of the log.
  void summarize(const char* end) {
    if (!keeper_) return;
    report_.hide_progress();
    const DatasetManifest& manifest = dataset_.manifest();
    const bool has_best = fs::exists(keeper_->checkpoints() / "best");
    const RunSummary summary = {end,
                                state_.step,
                                first_step_,
                                seconds_since(began_),
                                report_.times(),
                                best_.best(),
                                request_.run.string(),
                                (keeper_->checkpoints() / (has_best ? "best" : kLastLink)).string(),
                                manifest.source_language,
                                manifest.target_language};
    for (const std::string& line : summary_lines(summary)) keeper_->log().line(line);
  }

  int stop(int signal) {
    if (is_benchmark()) {
      say([&] { return fmt::format("stopped by {}", signal_name(signal)); });
      return signal;
    }
    if (const std::string trouble = trouble_with_weights(); !trouble.empty()) {
      finish_saving();
      say([&] {
        return fmt::format(
            "stopped by {} after step {}, whose weights are not saved: {}. The same command goes on from earlier ones",
            signal_name(signal), state_.step, trouble);
      });
      return signal;
    }
    say([&] { return fmt::format("stopping after step {}, by {}: saving", state_.step, signal_name(signal)); });
    save();
    finish_saving();
    summarize("stopped");
    say([] { return "saved; the same command goes on from here"; });
    return signal;
  }

  void recover(const std::string& trouble) {
    const DeferInterrupts whole;  // a diverged model is not to be saved
    report_.hide_progress();
    finish_saving();
    say([&] { return fmt::format("step {}: {}", state_.step + 1, trouble); });
    // One of this very step has these weights, too.
    const Checkpoint* newest = keeper_ ? keeper_->find_newest(state_.step) : nullptr;
    const bool can = workers_.any(newest != nullptr);
    if (config_.train.on_divergence == OnDivergence::kStop || !can || state_.roll_backs >= config_.train.roll_backs) {
      fail(
          "training diverged at step {}: {}. Try a smaller schedule.learning_rate (it was {:.3g} here) or a longer "
          "warm-up, or optimizer.clip_norm; the last good checkpoint is {}.",
          state_.step + 1, trouble, schedule_.rate(state_.step) * parts_.rate_factor,
          newest != nullptr ? newest->folder().string()
                            : fmt::format("none: nothing was saved before step {}", state_.step));
    }
    const double factor = parts_.rate_factor / 2;
    const int64_t roll_backs = state_.roll_backs + 1;
    restore(newest, parts_, guard_, best_, state_);
    parts_.rate_factor = factor;
    state_.roll_backs = roll_backs;
    last_saved_ = saved_evaluation_ = judged_ = -1;
    report_.forget();
    if (!keeper_) return;
    begin_log().line(fmt::format("back to step {} with {:.3g} of the rate ({} of {} roll-backs)", state_.step, factor,
                                 roll_backs, config_.train.roll_backs));
  }

  const Clock::time_point began_ = Clock::now();
  const TrainRequest& request_;
  Workers& workers_;
  const int threads_;
  std::string verified_;  // what that took
  Dataset dataset_;
  std::unique_ptr<RunKeeper> keeper_;  // worker 0's
  const Config config_;
  std::string config_yaml_;
  std::vector<std::string> differences_;  // from the run that goes on, if that is forced
  Subwords source_, target_;
  std::optional<TestSet> dev_;
  std::unique_ptr<DecodableModel> model_;
  GradientReducer reducer_;
  std::unique_ptr<Optimizer> optimizer_;
  Schedule schedule_;
  WeightAverage average_;
  std::unique_ptr<LossScaler> scaler_;
  DivergenceGuard guard_;
  BestTracker best_;
  bool is_best_ = false;  // the model as it is now, by some metric
  StepParts parts_;
  BatchPlan plan_;
  RunReport report_;
  RunState state_;
  RunLength length_;
  int64_t first_step_ = 0;                           // of this part of the run
  int64_t last_saved_ = -1, saved_evaluation_ = -1;  // steps
  int64_t judged_ = -1;                              // the step whose weights were found good
};

}  // namespace

int train(const TrainRequest& request, Workers& workers) {
  keep_freed_memory();
  workers.set_limits(request.config.workers);
  if (request.config.train.max_steps == 0 && request.config.train.epochs == 0 && request.benchmark_steps == 0) {
    fail_usage("say how long to train: --set train.max_steps=N or --set train.epochs=N");
  }
  return Trainer(request, workers).run();
}

}  // namespace verbund
