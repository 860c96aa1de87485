// SPDX-License-Identifier: Apache-2.0
// verbund train: one worker of a training run, alone or with others.
#include <algorithm>
#include <cstdlib>
#include <optional>

#include "alert/alert_command.h"
#include "cli/command.h"
#include "cli/options.h"
#include "collectives/mpi_transport.h"
#include "config/config.h"
#include "config/load.h"
#include "config/show.h"
#include "config/value.h"
#include "core/error.h"
#include "core/interrupt.h"
#include "core/json.h"
#include "core/log.h"
#include "core/process.h"
#include "data/verified_note.h"
#include "launch/job_settings.h"
#include "launch/slurm_allocation.h"
#include "report/write_report.h"
#include "train/fine_tune.h"
#include "train/request_checks.h"
#include "train/trainer.h"

namespace verbund {
namespace {

// "2 worker 1 on b was killed"
RestartReason restart_reason(const char* text) {
  RestartReason restart;
  if (text == nullptr) return restart;
  char* rest = nullptr;
  restart.number = static_cast<int>(std::strtol(text, &rest, 10));
  restart.reason = *rest == ' ' ? rest + 1 : rest;
  return restart;
}

void tell_report(const TrainRequest& request) {
  const std::filesystem::path report = try_write_report(request.run, make_run_report);
  if (!report.empty()) log("  report {}", report.string());
}

struct TrainFlags {
  std::vector<std::string> data, overrides;
  std::string run, config, finetune, resume = "auto", on_alert;
  std::optional<double> replay;
  int64_t benchmark_steps = 0;

  void declare(Options& options);
  // What these flags ask for, and the variables that launch sets.
  TrainRequest request() const;
};

void TrainFlags::declare(Options& options) {
  options
      .add_list("--data", data, "Dataset folder; repeatable with the same subword model, the first has the dev pairs",
                "FOLDER")
      ->required();
  options.add_option("--run", run, "The run folder, new or of a run to resume")->required()->type_name("FOLDER");
  options.add_option("--config", config, "The configuration: a YAML file, or a preset's name (verbund config --list)")
      ->type_name("FILE");
  options
      .add_option("--finetune", finetune,
                  "Train the model of this run (or checkpoint) further: with its settings, its subword model, a fresh "
                  "optimiser, a tenth of its steps and of its learning rate, and its dev set as an extra one. --config "
                  "and --set override these settings")
      ->type_name("RUN");
  options
      .add_option(
          "--replay", replay,
          "With --finetune: this share of the pairs, such as 0.2, is drawn from the dataset of that run, so that "
          "less is forgotten")
      ->type_name("SHARE")
      ->check(number_between(0.001, 0.999));
  options.add_list("--set", overrides, "Override a value: section.key=value (repeatable)", "KEY=VALUE");
  options
      .add_option("--resume", resume,
                  "auto: resume if the run folder has a checkpoint; never: refuse to; force: resume even if the "
                  "configuration or dataset differs; best: return to the best checkpoint, delete the later ones, and "
                  "resume from there, with other settings if you like")
      ->check(one_of({kResumeNames.begin(), kResumeNames.end()}))
      ->capture_default_str();
  options
      .add_option("--benchmark", benchmark_steps, "Only train N steps and print time per step and tokens per second")
      ->type_name("N")
      ->check(at_least(1));
  options
      .add_option(
          "--on-alert", on_alert,
          "A shell command to run when training diverges, stalls, does not improve, waits for a straggler, fails "
          "or is lost, or its disk is nearly full. VERBUND_ALERT_KIND, _TEXT, _RUN and _STEP say what it is")
      ->type_name("COMMAND");
}

TrainRequest TrainFlags::request() const {
  if (replay && finetune.empty()) fail_usage("--replay needs --finetune RUN, whose dataset it draws from");
  TrainRequest request;
  request.datasets.assign(data.begin(), data.end());
  request.run = run;
  request.resume =
      static_cast<Resume>(std::find(kResumeNames.begin(), kResumeNames.end(), resume) - kResumeNames.begin());
  request.benchmark_steps = benchmark_steps;
  request.program = program_version();
  request.command = command_line();
  request.restart = restart_reason(std::getenv(kRestartVariable));
  if (std::getenv(kContinueVariable) != nullptr) {  // a restart by launch: another start of this command has begun
    if (request.resume == Resume::kNever) request.resume = Resume::kAuto;
    if (request.resume == Resume::kBest) request.resume = Resume::kForce;
  }
  if (const char* notes = std::getenv(kVerifiedVariable)) request.verified = notes;
  return request;
}

// Only worker 0 needs the other run's folder; with replay, all need its dataset.
void set_up_fine_tuning(const FineTuneRequest& fine_tune_request, Workers& workers, TrainRequest& request) {
  Json told;
  if (workers.leads()) {
    FineTuned tuned = fine_tune(fine_tune_request);
    request.notes = std::move(tuned.notes);
    told = {{"config", show(tuned.config)}, {"replayed", tuned.replayed}};
  }
  told = parse_json(workers.comm().broadcast(dump_json(told)));
  load(parse_yaml(told.at("config"), "the configuration of worker 0"), request.config);
  if (const std::string replayed = told.at("replayed"); !replayed.empty()) request.datasets.emplace_back(replayed);
}

// Returns the signal that ended the training, or 0.
int train_and_report(const TrainFlags& flags, TrainRequest& request, Workers& workers) {
  if (workers.leads() && std::getenv(kContinueVariable) != nullptr) {
    check_continued_run(request.run, workers.self().host);
  }
  if (workers.leads()) log_config_choice(flags.config);
  if (flags.finetune.empty()) {
    request.config = load_config(flags.config, flags.overrides);
  } else {
    set_up_fine_tuning(
        {flags.finetune, request.datasets, flags.run, flags.config, flags.overrides, flags.replay.value_or(0)}, workers,
        request);
  }
  const bool reports = workers.leads() && request.benchmark_steps == 0 && request.config.train.record;
  bool started = false;
  request.on_start = [&] { started = true; };
  int signal = 0;
  try {
    signal = train(request, workers);
  } catch (const Error&) {  // also if the run has diverged
    if (reports && started && std::filesystem::exists(request.run / "metrics.jsonl")) tell_report(request);
    throw;
  }
  if (!reports) return signal;
  std::optional<DeferInterrupts> despite_signal;  // that ended the training; a second one ends the program at once
  if (signal != 0) despite_signal.emplace();
  tell_report(request);
  return signal;
}

}  // namespace

void run_train(const Arguments& arguments) {
  Options options(
      "train",
      "Trains a Transformer on a dataset folder. The run folder gets checkpoints, log.txt, metrics.jsonl, events for "
      "TensorBoard, a record of every step, and at the end report.html; the same command resumes a run that was "
      "stopped. After Ctrl-C, SIGTERM or when the terminal is closed, it finishes the step, saves and ends. Started by "
      "mpirun, Slurm or `verbund launch`, all workers train one model together.",
      "  verbund train --config demo --data data/demo --run runs/demo\n"
      "  verbund train --config transformer-base --data data/wmt16 --run runs/base \\\n"
      "                --set train.max_steps=100000 --set batch.tokens=25000\n"
      "  verbund train --finetune runs/base --data data/law --run runs/law\n"
      "  verbund train --config demo --data data/demo --run /tmp/x --benchmark 20\n"
      "  mpirun -n 4 -H a:2,b:2 --bind-to none verbund train --config ... (see also: verbund launch --help)\n");
  TrainFlags flags;
  flags.declare(options);
  if (!options.read(arguments)) return;
  TrainRequest request = flags.request();

  refuse_tasks_without_pmix(environment_variable);
  // Before there are threads and much memory: the command's process is a copy of this one.
  std::unique_ptr<AlertCommand> alerts;
  if (!flags.on_alert.empty() && launched_rank() <= 0) alerts = std::make_unique<AlertCommand>(flags.on_alert);
  request.alerts = alerts.get();

  int signal = 0;
  with_workers([&](Workers& workers) { signal = train_and_report(flags, request, workers); });
  if (signal != 0) throw Interrupted::in_silence(signal);  // the log has said so
}

}  // namespace verbund
