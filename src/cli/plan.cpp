// SPDX-License-Identifier: Apache-2.0
// verbund plan predicts time and cost of a training on given hosts.
#include <iostream>
#include <optional>

#include "cli/command.h"
#include "cli/host_flags.h"
#include "config/config.h"
#include "core/error.h"
#include "core/json.h"
#include "core/json_file.h"
#include "core/machine.h"
#include "core/output.h"
#include "core/pipeline.h"
#include "plan/compute_rates.h"
#include "plan/exchange_rates.h"
#include "plan/measured_compute.h"
#include "plan/plan.h"
#include "plan/quantities.h"
#include "plan/run_rates.h"
#include "report/write_report.h"

namespace verbund {
namespace {

constexpr const char* kUsualLatency = "0.2ms";
constexpr double kLeastThroughput = 0.001, kMaxThroughput = 1e12;  // target tokens per second of a worker
constexpr int64_t kMaxTokens = 1000000;                            // of a sentence

struct PlanFlags {
  HostFlags hosts;
  std::string config, data, link, latency, gpu, run, doctor, price;
  std::vector<std::string> overrides;
  double tokens_per_second = 0;
  int64_t length = 32, distinct = 0;
  bool measure = false, json = false;

  void declare(Options& options);
  void check() const;
};

void PlanFlags::declare(Options& options) {
  options
      .add_option("--config", config,
                  "The configuration: a YAML file, or the name of a preset (that of --run, if given)")
      ->type_name("FILE");
  options.add_list("--set", overrides, "Override a value: section.key=value (repeatable)", "KEY=VALUE");
  options.add_option("--data", data, "The dataset folder, whose batches are counted")->type_name("FOLDER");
  options.add_option("--length", length, "Without --data: tokens per sentence")
      ->type_name("N")
      ->check(between(1, kMaxTokens));
  options
      .add_option("--distinct", distinct,
                  "Without --data: distinct tokens of a side in a worker's share of a batch (as in natural text)")
      ->type_name("N")
      ->check(between(1, kMaxTokens));
  hosts.declare(options);
  options.add_flag("--measure", measure,
                   "Train for some seconds on this machine, and measure the network between the hosts");
  options.add_option("--run", run, "Use the rates of this run's record, and compare the plan with the run")
      ->type_name("RUN");
  options.add_option("--gpu", gpu, "Each worker has a GPU of this name: v100, a100, h100 or rtx4090")
      ->type_name("NAME");
  options
      .add_option("--tokens-per-second", tokens_per_second,
                  "Throughput of one worker alone with its share of the batch, in target tokens per second")
      ->type_name("X")
      ->check(number_between(kLeastThroughput, kMaxThroughput));
  options.add_option("--link", link, "The network of each host: 1gbit, 200mbit, 118MB/s")->type_name("RATE");
  options.add_option("--latency", latency, "Round trip time of the network, as shown by ping (0.2ms)")
      ->type_name("TIME");
  options.add_option("--doctor", doctor, "The network as measured by `verbund doctor --json > FILE`")
      ->type_name("FILE");
  options.add_option("--price", price, "Price of a host per hour: 3.06/h")->type_name("MONEY");
  options.add_flag("--json", json, "Print every figure as JSON");
}

void PlanFlags::check() const {
  const int computing =
      (gpu.empty() ? 0 : 1) + (run.empty() ? 0 : 1) + (measure ? 1 : 0) + (tokens_per_second > 0 ? 1 : 0);
  if (computing != 1) {
    fail_usage(
        "{} sets the speed of a worker, but exactly one must: --measure (this machine), --run RUN (its record), --gpu "
        "NAME (its data sheet) or --tokens-per-second X",
        computing == 0 ? "no flag" : "more than one flag");
  }
  if (config.empty() && run.empty())
    fail_usage("the model is missing: give --config FILE, or --run RUN to use the run's own");
  if (!link.empty() && !doctor.empty())
    fail_usage("--link {} and --doctor {} both describe the network: give one", link, doctor);
  if (link.empty() && !latency.empty())
    fail_usage("--latency {} needs the rate of the network as well, as in --link 1gbit", latency);
}

Config config_of(const PlanFlags& flags, const std::optional<RunData>& run) {
  if (!flags.config.empty() || !run) return load_config(flags.config, flags.overrides);
  if (!run->config) fail("{} has no readable configuration: give --config FILE", flags.run);
  Config config = *run->config;
  override_config(config, flags.overrides);
  return config;
}

// The dataset that is given, or that the run was trained on, or none.
std::unique_ptr<BatchSource> batches_of(const PlanFlags& flags, const Config& config,
                                        const std::optional<RunData>& run) {
  if (!flags.data.empty()) return std::make_unique<BatchesOfDataset>(flags.data);
  if (std::unique_ptr<BatchSource> own = run ? batches_of_run(*run) : nullptr) return own;
  const int64_t pieces = config.subwords.vocabulary;
  return std::make_unique<AssumedBatches>(VocabularySizes{pieces, pieces}, static_cast<double>(flags.length),
                                          static_cast<double>(flags.distinct));
}

// A worker of this machine, as one of these hosts would have it.
ComputeRates measure_here(const PlanFlags& flags, const Scenario& scenario, BatchSource& batches) {
  const Config& config = scenario.config;
  const int workers = total_slots(scenario.hosts);
  auto* const dataset = dynamic_cast<BatchesOfDataset*>(&batches);
  const Batch batch = dataset
                          ? typical_batch(*dataset, config, workers)
                          : made_batch(batches.vocabularies(), flags.length,
                                       static_cast<int64_t>(batches.facts(config, workers).largest_micro_batch / 2));
  const int threads =
      config.threads > 0 ? thread_count(config.threads) : std::max(1, machine_cores() / scenario.hosts.front().slots);
  return measure_compute(config, batches.vocabularies(), batch, threads);
}

ExchangeRates network_of(PlanFlags& flags, const std::vector<Host>& hosts, const Config& config) {
  ExchangeRates rates;
  if (!flags.link.empty()) {
    const std::string latency = flags.latency.empty() ? kUsualLatency : flags.latency;
    rates.link = parse_link(flags.link);
    rates.round_trip = parse_latency(latency);
    rates.source = fmt::format("{} ({:.1f} MB/s of payload), {} a round trip", flags.link, rates.link / 1e6, latency);
    rates.named = true;
  } else if (!flags.doctor.empty()) {
    rates = use_json_file(fs::path(flags.doctor), "Make it again: verbund doctor -H ... --json > FILE",
                          [](Json json) { return rates_of_hosts(json.at("facts").get<Facts>()); });
  } else if (flags.measure && total_slots(hosts) > 1) {
    Training training;
    training.config_file = flags.config;
    training.overrides = flags.overrides;
    rates = rates_of_hosts(examine_from_outside(flags.hosts, hosts, training));
  }
  if (config.device == DeviceChoice::kCuda || !flags.gpu.empty()) rates.memory = kPcieRate;
  return rates;
}

TrainingPlan plan_with(PlanFlags& flags) {
  std::optional<RunData> run;
  if (!flags.run.empty()) {
    expect_run(flags.run);
    run = read_run(flags.run);
  }
  Scenario scenario;
  scenario.config = config_of(flags, run);
  expect_batch_tokens(scenario.config);
  const std::unique_ptr<BatchSource> batches = batches_of(flags, scenario.config, run);
  std::optional<RunRates> recorded;
  if (run) recorded = rates_of_run(*run, *batches);
  scenario.hosts = flags.hosts.given() || !recorded ? flags.hosts.hosts() : recorded->hosts;
  if (flags.hosts.workers > 0) scenario.hosts = used_hosts(scenario.hosts, flags.hosts.workers);
  scenario.gpu = flags.gpu;
  scenario.compute = recorded             ? recorded->compute
                     : !flags.gpu.empty() ? rates_of_gpu(flags.gpu, scenario.config.train.precision)
                     : flags.measure      ? measure_here(flags, scenario, *batches)
                                          : rates_of_throughput(flags.tokens_per_second, scenario.config, *batches,
                                                                total_slots(scenario.hosts));
  const bool told = !flags.link.empty() || !flags.doctor.empty();
  scenario.exchange = recorded && !told ? recorded->exchange : network_of(flags, scenario.hosts, scenario.config);

  TrainingPlan plan = make_plan(scenario, *batches, flags.price.empty() ? 0 : parse_price(flags.price));
  if (recorded && (recorded->hosts.size() == 1 || recorded->exchange.link > 0)) {
    const Scenario as_it_was = {*run->config, recorded->hosts, recorded->compute, recorded->exchange, ""};
    const Prediction played = predict(as_it_was, *batches, total_slots(recorded->hosts));
    plan.comparison = MeasuredRun{run->name, played.step.seconds, recorded->step_seconds};
  }
  return plan;
}

}  // namespace

void run_plan(const Arguments& arguments) {
  Options options(
      "plan",
      "Predicts a training before it is paid for: seconds per step, throughput and efficiency for 1 .. N workers, "
      "time, money and memory, its bottleneck, and the gain of other settings. The step is simulated with the "
      "program's own order of gradient buckets; rates are measured here, read from a run, or given.",
      "  verbund plan --config transformer-base --data data/wmt16 -H a:2,b:2 --measure --price 0.40/h\n"
      "  verbund plan --config transformer-base -H a:4,b:4 --gpu v100 --link 10gbit --price 12.24/h\n"
      "  verbund plan --run runs/demo -H a:1,b:1 --link 200mbit --set workers.wire=bf16\n");
  PlanFlags flags;
  flags.declare(options);
  if (!options.read(arguments)) return;
  flags.check();
  const TrainingPlan plan = plan_with(flags);
  if (flags.json) {
    std::cout << dump_json(plan_json(plan), 1) << "\n";
  } else {
    print_rows(plan_table(plan, output_columns()));
  }
}

}  // namespace verbund
