// SPDX-License-Identifier: Apache-2.0
// Verdict 9: how step time relates to the traffic between hosts.
#include <algorithm>
#include <cmath>

#include "core/human.h"
#include "page/number_format.h"
#include "report/judge.h"
#include "report/replay.h"
#include "report/verdicts/evidence.h"
#include "statistics/least_squares.h"

namespace verbund {
namespace {

struct Cause {
  const char* name;
  const char* unit;
  const std::vector<double>* values;
};

double deviation(const std::vector<double>& values) {
  const double center = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - center) * (value - center);
  return std::sqrt(squares / static_cast<double>(values.size()));
}

// Percent by which a step gets shorter per percent of bandwidth, around the actual bandwidth.
double elasticity(const Replay& replay) {
  constexpr double kStep = 1.1;
  return std::log(replay.step_seconds(1 / kStep) / replay.step_seconds(kStep)) / (2 * std::log(kStep));
}

std::string explain_variation(const Regression& fit, const std::vector<Cause>& causes, Verdict& verdict) {
  size_t strongest = 0;
  double effect = 0;
  for (size_t i = 0; i < causes.size(); ++i) {
    const Coefficient& coefficient = fit.coefficients[i + 1];
    verdict.add(fmt::format("step time per {}: {}", causes[i].unit, causes[i].name), coefficient.value, "s",
                coefficient.interval, "80 % interval, least squares");
    const double share = std::abs(coefficient.value) * deviation(*causes[i].values);
    if (share > effect) {
      effect = share;
      strongest = i;
    }
  }
  verdict.add("variation explained", 100 * fit.explained, "%");
  return fmt::format("Steps differ in length mostly with {} ({} of the variation is explained).",
                     causes[strongest].name, percent(fit.explained));
}

// With rounds of local steps: how much longer the steps with an exchange take. Nothing else can be separated, because
// between two exchanges the workers are in different steps.
void judge_rounds(Verdict& verdict, const StepSample& sample, int64_t interval) {
  std::vector<double> with, without, sent;
  for (size_t i = 0; i < sample.seconds.size(); ++i) {
    (sample.bytes[i] > 0 ? with : without).push_back(sample.seconds[i]);
    if (sample.bytes[i] > 0) sent.push_back(sample.bytes[i]);
  }
  verdict.finding = Grade::kNeutral;
  verdict.rule =
      "Workers exchange only at the end of a round (workers.sync_every); steps with and without an exchange "
      "are compared, waiting for the slowest worker included.";
  verdict.would_change = "A larger workers.sync_every exchanges less often; workers.sync_delay hides the exchange.";
  if (with.empty() || without.empty()) {
    verdict.sentence =
        fmt::format("Workers exchange every {} steps and at the end; the steps that did are not on record.", interval);
    return;
  }
  const char* sender = sample.of_all_workers ? "a worker" : "worker 0";
  verdict.figures = {figure(fmt::format("sent by {} in an exchange", sender), median(sent) / 1e6, "MB"),
                     figure("median step with an exchange", median(with), "s"),
                     figure("median step without", median(without), "s")};
  verdict.sentence = fmt::format(
      "Workers exchange every {} steps and at the end: {} sends {} then{}, and that step takes {} instead of {}.",
      interval, sender, human_bytes(static_cast<uint64_t>(median(sent))), sample.of_all_workers ? " on average" : "",
      short_seconds(median(with)), short_seconds(median(without)));
}

}  // namespace

Verdict traffic(const RunData& run) {
  Verdict verdict = ask("traffic", "How does step time relate to the traffic between hosts?");
  verdict.rule =
      "All steps send nearly the same bytes, which therefore cannot explain why steps differ. The rate is bytes over "
      "step time. Step times are regressed on what varies: tokens, the time until the slowest worker could exchange, "
      "and the wait for the exchange after that. The effect of bandwidth comes from replaying the exchange, as for the "
      "network above.";
  const std::string wire = wire_advice(run);
  verdict.would_change = (wire.empty() ? "L" : wire + "; l") + "arger batches do more work for the same bytes.";
  const int workers = run.workers();
  if (run.imported && !run.training.has("exchange_bytes_sent_per_step")) {
    return cannot_tell(verdict, kNotImported);
  }
  if (workers < 2) {
    verdict.sentence = "Not at all: one worker exchanges nothing.";
    verdict.would_change = "With more workers there would be traffic (verbund launch).";
    verdict.finding = Grade::kNeutral;
    return verdict;
  }
  const StepSample sample = sample_steps(run);
  const auto [bytes, of_all_workers] = sent_bytes(run, sample);
  if (!is_known(bytes)) {
    return cannot_tell(verdict, "neither bytes nor step times are on record.");
  }
  if (bytes == 0 || is_on_one_host(run)) {
    verdict.sentence = "Not at all: all workers are on one host, and hosts exchange nothing.";
    verdict.would_change = "Workers on more hosts would use the network.";
    verdict.finding = Grade::kNeutral;
    return verdict;
  }
  if (const int64_t interval = exchange_interval(run); interval > 1) {
    judge_rounds(verdict, sample, interval);
    return verdict;
  }
  const double seconds =
      sample.seconds.empty() ? median(finite(run.training.column("seconds_per_step"))) : median(sample.seconds);
  verdict.figures = {
      figure(fmt::format("sent by {} in a step", of_all_workers ? "a worker" : "worker 0"), bytes / 1e6, "MB"),
      figure("median step", seconds, "s"), figure("rate", bytes / seconds / 1e6, "MB/s"),
      figure("rate", 8 * bytes / seconds / 1e6, "Mbit/s")};
  verdict.sentence =
      fmt::format("{} sends {} per step, nearly always the same; at {} per step that is {}.",
                  of_all_workers ? "On average, a worker" : "Worker 0", human_bytes(static_cast<uint64_t>(bytes)),
                  short_seconds(seconds), bit_rate(bytes / seconds));
  verdict.finding = Grade::kNeutral;

  const auto varies = [](const std::vector<double>& values) {
    return deviation(values) > 0.005 * std::abs(mean(values));
  };
  std::vector<Cause> causes;
  for (const Cause& cause : {Cause{"the slowest worker's computing", "second", &sample.slowest},
                             Cause{"the wait for the exchange", "second", &sample.exchange},
                             Cause{"the number of tokens", "token", &sample.tokens}}) {
    if (!sample.seconds.empty() && varies(*cause.values)) causes.push_back(cause);
  }
  std::optional<Regression> fit;
  while (!causes.empty() && !fit) {  // tokens may be collinear with computing
    std::vector<std::vector<double>> regressors;
    for (const Cause& cause : causes) regressors.push_back(*cause.values);
    if (varies(sample.seconds)) fit = least_squares(regressors, sample.seconds);
    if (!fit) causes.pop_back();
  }
  verdict.sentence += " " + (fit ? explain_variation(*fit, causes, verdict)
                                 : fmt::format("The reason why steps differ is unknown, because {}.",
                                               sample.seconds.empty() ? "they are not on record" : "they do not vary"));
  if (const auto replay = Replay::make(run.exchange, workers); replay && replay->error() <= 0.05) {
    const double gain = elasticity(*replay);
    verdict.add("shorter step per 1 % of bandwidth", gain, "%");
    if (gain < 0.1) {
      verdict.would_change = fmt::format("Fewer bytes or a faster network would change little: {} for 10 % bandwidth.",
                                         percent(0.1 * gain));
    }
    verdict.sentence += fmt::format(" 10 % more bandwidth would make a step {} shorter.", percent(0.1 * gain));
  }
  if (!sample.step.empty()) {
    Chart chart{"traffic", "Step time and the slowest worker's computing",
                "seconds until the slowest worker could exchange", "seconds of the step",
                "Points along a rising line: computing dominates. A cloud above it: the exchange does."};
    Series points{"steps", {}, {}, {}, {}, Drawn::kPoints};
    const size_t stride = sample.step.size() / 500 + 1;
    for (size_t i = 0; i < sample.step.size(); i += stride) {
      points.x.push_back(sample.slowest[i]);
      points.y.push_back(sample.seconds[i]);
    }
    chart.series.push_back(std::move(points));
    verdict.charts.push_back(std::move(chart));
  }
  return verdict;
}

}  // namespace verbund
