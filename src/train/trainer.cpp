// SPDX-License-Identifier: Apache-2.0
#include "train/trainer.h"

#include <algorithm>
#include <chrono>

#include "collectives/agreement.h"
#include "collectives/mpi_transport.h"
#include "core/elapsed.h"
#include "core/error.h"
#include "core/human.h"
#include "core/interrupt.h"
#include "core/json.h"
#include "core/log.h"
#include "core/plain_path.h"
#include "core/process.h"
#include "data/dataset_record.h"
#include "record/metrics_writer.h"
#include "train/evaluator.h"
#include "train/mixture_log.h"
#include "train/request_checks.h"
#include "train/round.h"
#include "train/run.h"
#include "train/run_description.h"
#include "train/step.h"

namespace verbund {
namespace {

using Clock = std::chrono::steady_clock;

// All workers run the same code and take the same branches, because their decisions depend on values that are the same
// on all of them. Only worker 0's keeper and observers read and write the run folder and print.
class Trainer {
 public:
  explicit Trainer(Run& run)
      : run_(run),
        state_(run.state),
        observers_(make_observers(run)),
        window_(run.workers.size()),
        evaluator_(run, *observers_) {}

  ~Trainer() { run_.workers.watchdog().set_log({}); }

  int run() {
    try {
      introduce();
      const int signal = train_to_end();
      const std::string reason = signal == 0 ? "finished" : "stopped by " + signal_name(signal);
      observers_->pause();   // sends everything to worker 0
      run_.workers.flush();  // waits until it has arrived
      run_.workers.watchdog().set_log({});
      observers_->end();
      run_.keeper->record_stop(fmt::format("{} at step {}", reason, state_.step));
      return signal;
    } catch (const std::exception& error) {
      const std::string reason = fmt::format("ended at step {}: {}", state_.step, error.what());
      tell("fail", {{"reason", error.what()}}, reason, true);
      observers_->end();
      run_.keeper->record_stop(reason);
      throw;
    }
  }

 private:
  void tell(const char* event, const Json& details = Json::object(), const std::string& line = "",
            bool printed = false) {
    observers_->event({event, state_.step, details, line, printed});
  }

  void introduce() {
    const Json hosts = describe_hosts(run_.workers, *run_.device, run_.threads);
    state_.origin = run_.keeper->origin();
    state_.origin.program = run_.request.program;
    continue_after(run_.resumed ? state_.step : -1);
    Json dataset = describe_datasets(run_.request.datasets, state_.dataset);
    dataset["folders"] = Json::array();
    for (const fs::path& folder : run_.request.datasets) dataset["folders"].push_back(plain_path(folder).string());
    dataset["corpora"] = corpora_json(state_.mixture);
    dataset["mixture"] = state_.mixture.description();
    const bool begins = run_.workers.leads() && !run_.resumed;
    run_.keeper->record_start({run_.request.program, run_.request.command, mpi_library(), state_.step, run_.differences,
                               hosts, std::move(dataset), begins ? describe_model(run_.config.train) : Json()});
    run_.keeper->write_description(run_.config_yaml, run_.dataset);
    if (run_.workers.leads()) tell_launch({WorkerEvent::kTraining, 0});
    if (const RestartReason& restart = run_.request.restart; restart.number > 0) {
      tell("restart", {{"number", restart.number}, {"reason", restart.reason}});
    }
    Json details = {{"workers", run_.workers.size()}};
    if (run_.resumed) details["from_step"] = state_.step;
    tell(run_.resumed ? "resume" : "start", details, introduction(run_));
    if (run_.workers.leads()) warn_of_crowding(run_.workers, run_.threads);
  }

  // Continues after this step; the watchdog's warnings go to the run folder, too.
  void continue_after(int64_t step) {
    run_.workers.watchdog().set_log({});
    run_.keeper->begin_at(state_.step, state_.best.links());
    observers_->begin(step);
    run_.workers.watchdog().set_log([this](const WatchdogEvent& notice) {
      Json details = {{"message", notice.message}};
      if (notice.worker >= 0) details["worker"] = notice.worker;
      if (notice.kind == WatchdogEvent::Kind::kFailed) details["reason"] = notice.message;
      observers_->event({notice.event(), notice.step, details, notice.message, true});
      if (notice.last) run_.keeper->record_stop(notice.message);
    });
  }

  // Rolls back after divergences, as often as the configuration allows.
  int train_to_end() {
    while (true) {
      try {
        return train();
      } catch (const Diverged& diverged) {
        recover(diverged.trouble);
      } catch (const Interrupted&) {  // in an evaluation, which a resumed run repeats
        return stop(pending_interrupt());
      }
    }
  }

  int train() {
    const bool looks_first = state_.step == 0 ? run_.config.evaluate.at_start && !run_.is_benchmark()
                                              : run_.is_due(run_.config.train.eval_every);
    if (looks_first) evaluator_.evaluate();
    auto batches = std::make_unique<Prefetcher>(run_.plan(), run_.share(), state_.position);
    if (!std::exchange(ready_, true)) tell("ready", {{"seconds", run_.seconds()}});
    while (!run_.is_finished()) {
      // A benchmark goes on in the last stage.
      if (state_.mixture.is_stage_over(state_.step) && !state_.mixture.is_over(state_.step)) {
        batches.reset();  // it has read ahead
        enter_next_stage();
        batches = std::make_unique<Prefetcher>(run_.plan(), run_.share(), state_.position);
      }
      const int signal = step(*batches);
      if (!run_.is_meeting()) {  // nothing is decided in a round, where each worker is on its own
        if (run_.workers.leads()) tell_of_waiting_stop();
        continue;
      }
      bool is_best = false;
      if (run_.is_due(run_.config.train.sample_every)) evaluator_.show_sample();
      if (run_.is_due(run_.config.workers.check_every))
        check_weights(run_.workers, state_.model->weights().values(), state_.step);
      if (run_.is_due(run_.config.train.eval_every)) is_best = evaluator_.evaluate();
      if (run_.is_due(run_.config.checkpoint.save_every_steps) || is_best) save();
      if (signal != 0) return stop(signal);
    }
    if (run_.is_benchmark()) {
      tell("benchmark");
      return 0;
    }
    if (const std::string reason = state_.best.stop_reason(); !reason.empty()) {
      tell("early_stop", {{"reason", reason}}, "early stop: " + reason);
    }
    evaluator_.evaluate();
    save();
    finish_saving();
    tell("finish");
    return 0;
  }

  void enter_next_stage() {
    const PairCounts seen = state_.mixture.seen(state_.mixture.stage());
    run_.enter_next_stage();
    tell("stage", stage_details(state_.mixture, seen), stage_line(state_.mixture, seen));
  }

  // Within a round, a stop waits for its end, which may take long.
  void tell_of_waiting_stop() {
    if (pending_interrupt() == 0 || std::exchange(stop_waits_, true)) return;
    const int64_t every = run_.config.workers.sync_every, last = run_.length().steps;
    int64_t left = every - state_.step % every;
    if (last > state_.step) left = std::min(left, last - state_.step);
    double seconds = 0;
    for (const StepSeen& seen : unreported_) seconds += seen.times.seconds;
    log("run: finishing the round: {} step{}, about {}", human_count(static_cast<uint64_t>(left)), left == 1 ? "" : "s",
        human_duration(seconds / static_cast<double>(unreported_.size()) * static_cast<double>(left)));
  }

  // Returns the signal that some worker has received, or 0.
  int step(Prefetcher& batches) {
    const auto began = Clock::now();
    const double waited_before = batches.seconds_waited();
    const WorkerBatch& batch = batches.next();
    StepResult result = train_step(state_, batch, began);
    if (state_.outer == nullptr) judge(state_.guard.judge(result.loss.mean(), !result.trouble));
    ++state_.step;
    state_.position = batch.next();
    state_.mixture.see(batch.global_pairs());
    state_.target_tokens += static_cast<int64_t>(batch.global_target_tokens());
    if (state_.outer != nullptr) end_step_of_round(result, began);
    result.times.waited = batches.seconds_waited() - waited_before;
    result.times.seconds = seconds_since(began);
    state_.training_seconds += result.times.seconds;
    unreported_.push_back(see(result, batch, began));
    if (!run_.is_meeting()) return 0;
    report_steps();
    return result.stop_signal;
  }

  static void judge(const std::string& trouble) {
    if (!trouble.empty()) throw Diverged{trouble};
  }

  // With workers.sync_every: sends the weights when they are due, and joins the workers when the round ends.
  void end_step_of_round(StepResult& result, Clock::time_point began) {
    const WorkersConfig& config = run_.config.workers;
    round_.add(result, state_.guard);
    OuterStep& outer = *state_.outer;
    Weights& weights = state_.model->weights();
    const bool meets = run_.is_meeting();
    const auto ended = Clock::now();
    if (!outer.is_sent() && (meets || (state_.step + config.sync_delay) % config.sync_every == 0)) {
      outer.send(weights, state_.reducer, began, meets);
    }
    if (!meets) return;
    run_.workers.watchdog().report_phase(state_.step - 1, "waiting for the weights of all");
    const bool finite = outer.receive(state_.reducer);
    result.stop_signal = round_.meet(run_.workers);
    round_.end(finite);
    result.times.exposed += seconds_since(ended);
    result.times.exchange = state_.reducer.times().busy;
    result.times.bytes = state_.reducer.times().bytes;
    if (!finite) return;
    const auto received = Clock::now();
    outer.update(weights);
    const auto steps = static_cast<int64_t>(unreported_.size()) + 1;  // of the round: this step is not among them yet
    state_.average.update(weights.values(), state_.step, steps);
    result.times.update += seconds_since(received);
  }

  StepSeen see(const StepResult& result, const WorkerBatch& batch, Clock::time_point began) const {
    const double epoch = static_cast<double>(batch.position().epoch) - state_.mixture.skipped_epochs() +
                         static_cast<double>(batch.position().batch + 1) / static_cast<double>(batch.epoch_batches());
    return {.step = state_.step,
            .began = run_.workers.run_clock(began),
            .epoch = epoch,
            .loss = result.loss,
            .own = result.own,
            .rate = result.rate,
            .gradient_norm = result.gradient_norm,
            .updated = result.updated,
            .training_seconds = state_.training_seconds,
            .target_tokens = state_.target_tokens,
            .times = result.times,
            .mixture = state_.step % run_.config.train.log_every == 0 ? mixture_values(state_.mixture) : Json()};
  }

  // The steps since the last meeting, whose losses of all workers are known now.
  void report_steps() {
    const std::vector<StepSeen> steps = std::exchange(unreported_, {});
    const std::vector<Round::Step> all = round_.take();
    for (size_t i = 0; i < steps.size(); ++i) {
      StepSeen seen = steps[i];
      if (state_.outer != nullptr) {
        seen.loss = all[i].loss;
        seen.gradient_norm = all[i].gradient_norm;
        seen.updated = all[i].updated;
        const std::string trouble =
            all[i].trouble.empty() ? state_.guard.judge(seen.loss.mean(), true) : all[i].trouble;
        if (!trouble.empty()) state_.step = seen.step - 1;
        judge(trouble);
      }
      report(seen);
    }
    if (const std::string settled = state_.reducer.take_report(); !settled.empty()) tell("buckets", {}, settled);
  }

  void report(const StepSeen& seen) {
    window_.add(seen);
    observers_->step(seen);
    if (run_.is_benchmark() || seen.step % run_.config.train.log_every != 0) return;
    run_.keeper->check_in_place();
    observers_->metrics(window_.take(seen));
  }

  void save() {
    if (last_saved_ == state_.step && saved_evaluation_ == state_.last_evaluation) return;
    const auto began = Clock::now();
    evaluator_.judge_weights();
    run_.workers.watchdog().report_phase(state_.step, "saving", true);
    state_.drawn = run_.plan().drawn(state_.position);
    CollectedState collected;
    run_.keeper->save(take_snapshot(state_, run_.config_yaml, collected));
    last_saved_ = state_.step;
    saved_evaluation_ = state_.last_evaluation;
    tell("save", {{"began", run_.workers.run_clock(began)}, {"seconds", seconds_since(began)}});
  }

  void finish_saving() {
    run_.workers.watchdog().report_phase(state_.step, "saving", true);
    const auto began = Clock::now();
    run_.keeper->finish_saving();
    tell("saved", {{"began", run_.workers.run_clock(began)}, {"seconds", seconds_since(began)}});
  }

  int stop(int signal) {
    const std::string name = signal_name(signal);
    if (run_.is_benchmark()) {
      tell("signal", {{"signal", name}}, "run: stopped by " + name);
      return signal;
    }
    if (const std::string trouble = evaluator_.trouble_with_weights(); !trouble.empty()) {
      finish_saving();
      tell("signal", {{"signal", name}},
           fmt::format("run: stopped by {} after step {}, whose weights are not saved: {}. The same command resumes it "
                       "from an earlier checkpoint, if there is one",
                       name, state_.step, trouble));
      return signal;
    }
    tell("signal", {{"signal", name}}, fmt::format("run: stopping after step {} by {}, saving", state_.step, name));
    save();
    finish_saving();
    tell("stop", {{"reason", "stopped by " + name}}, "run: saved; the same command resumes it");
    return signal;
  }

  void recover(const std::string& trouble) {
    const DeferInterrupts whole;  // a diverged model must not be saved
    observers_->pause();
    finish_saving();
    tell("diverged", {{"reason", trouble}}, fmt::format("step {}: {}", state_.step + 1, trouble));
    // A checkpoint of this step would have the diverged weights.
    const Checkpoint* newest = run_.keeper->find_newest(state_.step);
    const bool can = run_.workers.comm().any(newest != nullptr);
    const TrainConfig& train = run_.config.train;
    if (train.on_divergence == OnDivergence::kStop || !can || state_.roll_backs >= train.roll_backs) {
      fail(
          "training diverged at step {}: {}. Try a smaller schedule.learning_rate (it was {:.3g}), a longer warm-up or "
          "optimizer.clip_norm; {}.",
          state_.step + 1, trouble, state_.schedule.rate(state_.step) * state_.rate_factor,
          newest != nullptr
              ? "the last good checkpoint is " + newest->folder().string()
              : fmt::format("there is no good checkpoint, because none was saved before step {}", state_.step + 1));
    }
    roll_back(newest, trouble);
  }

  void roll_back(const Checkpoint* newest, const std::string& trouble) {
    const double factor = state_.rate_factor / 2;
    const int64_t roll_backs = state_.roll_backs + 1, from = state_.step;
    restore(newest, state_);
    run_.open_stage();
    state_.rate_factor = factor;
    state_.roll_backs = roll_backs;
    last_saved_ = saved_evaluation_ = -1;
    evaluator_.forget();
    window_.forget();
    unreported_.clear();
    continue_after(state_.step);
    tell("roll_back", {{"from_step", from}, {"to_step", state_.step}, {"rate_factor", factor}, {"reason", trouble}},
         fmt::format("roll-back: to step {}, learning rate times {:.3g} ({} of {} roll-backs)", state_.step, factor,
                     roll_backs, run_.config.train.roll_backs));
  }

  Run& run_;
  TrainState& state_;
  const std::unique_ptr<Observers> observers_;
  MetricsWindow window_;
  Evaluator evaluator_;
  Round round_;                                      // with workers.sync_every
  std::vector<StepSeen> unreported_;                 // steps since the last meeting
  bool ready_ = false;                               // the first step has begun
  bool stop_waits_ = false;                          // for the end of the round, as was told
  int64_t last_saved_ = -1, saved_evaluation_ = -1;  // steps
};

}  // namespace

int train(const TrainRequest& request, Workers& workers) {
  keep_freed_memory();
  workers.watchdog().set_limits(request.config.workers);
  if (request.benchmark_steps == 0) check_length(request.config);
  check_settings(request.config);
  const std::unique_ptr<Run> run = open_run(request, workers);
  request.on_start();
  return Trainer(*run).run();
}

}  // namespace verbund
