// SPDX-License-Identifier: Apache-2.0
#include "train/evaluator.h"

#include <chrono>

#include "core/elapsed.h"
#include "core/log.h"
#include "decode/translator.h"
#include "evaluate/evaluation.h"
#include "optim/clip.h"
#include "record/metrics_writer.h"
#include "train/step.h"

namespace verbund {
namespace {

constexpr const char* kUntilMetrics[] = {"", "bleu", "chrf", "loss"};  // by StageUntil

// Exchanges the weights of the model for the averaged ones, if there are any, while it lives.
class AveragedWeights {
 public:
  AveragedWeights(TranslationModel& model, WeightEma& average) : model_(model), average_(average) { swap(); }
  ~AveragedWeights() { swap(); }
  AveragedWeights(const AveragedWeights&) = delete;
  AveragedWeights& operator=(const AveragedWeights&) = delete;

 private:
  void swap() {
    if (!average_.started()) return;
    Buffer& weights = model_.weights().write();
    weights.device().swap({weights.size(), weights.data(), average_.values().data()});
  }

  TranslationModel& model_;
  WeightEma& average_;
};

}  // namespace

std::string Evaluator::trouble_with_weights() {
  TrainState& state = run_.state;
  if (judged_ == state.step) return "";
  run_.workers.watchdog().report_phase(state.step, "judging the weights");
  WorkerBatch next;
  next.fill(run_.plan(), run_.share(), state.position);
  const bool finite = !run_.workers.comm().any(!measure(state.model->weights().values()).finite());
  std::string trouble = finite ? state.guard.trouble_with(mean_loss(state, next)) : "a weight is not finite";
  if (trouble.empty()) judged_ = state.step;
  return trouble;
}

void Evaluator::judge_weights() {
  if (const std::string trouble = trouble_with_weights(); !trouble.empty()) throw Diverged{trouble};
}

bool Evaluator::evaluate() {
  TrainState& state = run_.state;
  if (!run_.dev || state.last_evaluation == state.step) return false;
  const auto began = std::chrono::steady_clock::now();
  judge_weights();
  run_.workers.watchdog().report_phase(state.step, "evaluation");
  observers_.pause();
  const AveragedWeights averaged(*state.model, state.average);
  // An untrained model never ends a sentence.
  const bool untrained = state.step == 0 && !starts_trained(run_.config.train);
  const Judge judge = untrained ? Judge::kLossAlone : Judge::kAll;
  const auto evaluate_set = [&](const TestSet& set) {
    return verbund::evaluate(*state.model, set, run_.source, run_.target, run_.config.evaluate,
                             decode_config(run_.config), run_.workers, judge);
  };
  Evaluation dev = evaluate_set(*run_.dev);
  const std::vector<Evaluation> extra = evaluate_extra(run_.extra_dev, dev, run_.config.evaluate, evaluate_set);
  if (run_.train_probe) dev.probe = loss_on(*state.model, *run_.train_probe, run_.workers).sum;
  state.last_evaluation = state.step;
  std::vector<std::string> links;
  if (state.step > 0) {  // before that there is no checkpoint that could be the best
    std::map<std::string, double> values;
    for (const std::string& metric : state.best.metrics()) values[metric] = dev.metric(metric);
    links = state.best.record(state.step, values);
    if (const StageUntil until = state.mixture.current().until; until != StageUntil::kNone) {
      const std::string metric = kUntilMetrics[static_cast<size_t>(until)];
      state.mixture.evaluated(dev.metric(metric), less_is_better(metric), run_.config.evaluate.min_change);
    }
  }
  run_.keeper->check_in_place();
  for (const std::string& link : links) run_.keeper->name(link, state.step);
  const bool is_best = !links.empty();
  EvaluationSeen seen = {state.step, seconds_since(began), dev, *run_.dev, state.average.started(), is_best};
  for (size_t i = 0; i < extra.size(); ++i) {
    seen.extra.push_back({run_.extra_dev[i].name, extra[i], run_.extra_dev[i].set});
  }
  debug("evaluation of step {}: {:.3f} s in all, {} new best values", state.step, seconds_since(began), links.size());
  observers_.evaluation(seen);
  observers_.metrics(metrics_line(seen));
  observers_.event(
      {"evaluation", state.step, {{"began", run_.workers.run_clock(began)}, {"seconds", seconds_since(began)}}});
  return is_best;
}

void Evaluator::show_sample() {
  if (!run_.dev || !run_.workers.leads()) return;
  const size_t pair = static_cast<size_t>(run_.state.step) % run_.dev->size();
  TranslatorConfig config;
  config.search.config = decode_config(run_.config);
  const Translator translator({run_.state.model.get()}, run_.source, run_.target, config);
  const Sentence translation = translator.translate_tokens({run_.dev->source_tokens[pair]})[0];
  observers_.sample(
      {run_.state.step, run_.dev->sources[pair], run_.dev->references[pair], run_.target.decode(translation)});
}

}  // namespace verbund
