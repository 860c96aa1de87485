// SPDX-License-Identifier: Apache-2.0
// Evidence that several verdicts share: the dev curve, and a sample of steps.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/run_data.h"

namespace verbund {

// The dev loss over the steps.
struct DevCurve {
  std::string key;                 // "dev_cross_entropy", or "dev_loss" if there is nothing else
  std::vector<double> step, loss;  // evaluations with a finite loss, without step 0
  std::vector<double> bleu;        // NaN where there is none

  size_t lowest() const;  // index of the lowest loss; the curve must not be empty
};

// `after`: only the evaluations after this step.
DevCurve dev_curve(const RunData& run, int64_t after = 0);

// The last change of how a run was trained: a stage of its mixture, or a resume with other settings. What the dev loss
// does across it says nothing of the training on either side.
struct TrainingChange {
  int64_t step = 0;  // after which it began
  std::string what;  // "stage office"

  std::string text() const;  // "stage office began after step 955"
};
std::optional<TrainingChange> last_change(const RunData& run);

// The dev loss at the end against its best. One half of the sentences chooses the best evaluation, the other half tests
// the rise, so that the choice itself cannot cause it.
struct DevRise {
  int64_t best = 0, last = 0;  // steps
  double share = 0;            // of the loss of the other half
  double p = 1;                // of no rise

  bool is_proven() const { return p < 0.05; }
};
inline constexpr size_t kFewestJudgedSentences = 40, kFewestJudgedEvaluations = 3;
// The rise over the evaluations from this step on; nothing if they or their sentences are too few.
std::optional<DevRise> dev_rise(const RunData& run, int64_t from);
// Evaluations of the same sentences from this step on: those with as many as the last.
std::vector<const SentenceLosses*> comparable_evaluations(const RunData& run, int64_t from);

// The key of the loss that people see: "train_cross_entropy" of "train"; "train_loss" if a run, such as an imported
// one, has nothing else.
std::string loss_key(const MetricTable& table, const std::string& of);

// Step at which the learning rate peaks, by the configuration, else by the log; 0 if unknown.
double warmup_end(const RunData& run);

// Some thousand steps, evenly spread over a run.
struct StepSample {
  std::vector<double> step, seconds;                 // of worker 0
  std::vector<double> tokens;                        // of all workers
  std::vector<double> slowest;                       // seconds until the straggler was ready to exchange
  std::vector<double> exchange;                      // seconds that worker 0 waited after that
  std::vector<double> bytes;                         // that a worker sent: mean of all, or of worker 0
  std::vector<std::vector<double>> before_exchange;  // per entry of run.ranks: seconds of data and computing
  size_t all_steps = 0;                              // that were sampled from
  bool of_all_workers = false;                       // all of them have records; else `bytes` is of worker 0
};

// A sample of the steps, without those that tune the bucket size or that not all workers have on record.
StepSample sample_steps(const RunData& run, size_t max_steps = 20000);

// Steps between two exchanges of the run's workers, by its configuration.
int64_t exchange_interval(const RunData& run);
// A typical value of a step's column: the median, or the mean where most steps of a round exchange nothing.
double typical(const RunData& run, const std::vector<double>& values);

// Bytes that a worker sent in a typical step.
struct SentBytes {
  double per_step = kNotKnown;
  bool of_all_workers = false;  // the mean of all; else of worker 0, which alone is in the log
};
SentBytes sent_bytes(const RunData& run, const StepSample& sample);

// All workers are known to be on one host.
bool is_on_one_host(const RunData& run);

// "workers.wire: bf16 saves 50 % of the bytes, int8 75 %": what the wire formats that are smaller than the run's would
// save; "" if there is none, or if no bytes go through hosts.
std::string wire_advice(const RunData& run);

// Exchanges per step: 1, or with rounds of local steps those at their ends and at the end of the run.
double exchanges_per_step(const RunData& run, const StepSample& sample);

// A worker that needs at least 10 % longer than the median of the others before it can exchange.
struct Straggler {
  int rank = 0;
  double factor = 1;  // its median over that of the others
};
std::optional<Straggler> find_straggler(const RunData& run, const StepSample& sample);

// Use of the cores of one host, as shares of their time.
struct HostLoad {
  std::string name;
  double seconds = 0, cores = 0;      // sampled; that the workers may use
  double workers = 0;                 // used by the workers
  double steal = kNotKnown;           // given to others by the hypervisor
  double others = kNotKnown;          // used by other programs
  double pressure = kNotKnown;        // time in which something waited for a core
  std::map<std::string, double> gpu;  // "gpu.0.use" -> share of the time in which some kernel ran
};
// Loads of the hosts that have samples and a known number of cores.
std::vector<HostLoad> host_loads(const RunData& run);

inline constexpr double kMuchSteal = 0.05, kMuchByOthers = 0.1;
// What to do about hosts whose cores others used, as a sentence; "" if there are none.
std::string advice_on_others(const std::vector<HostLoad>& loads);

}  // namespace verbund
