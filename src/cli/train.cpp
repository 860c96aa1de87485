// SPDX-License-Identifier: Apache-2.0
// verbund train: one worker of a training run, alone or with others.
#include <algorithm>
#include <cstdlib>
#include <optional>

#include "alert/alert_command.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/run_report.h"
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

// Only worker 0 needs the other run's folder; with replay, all need its dataset.
void set_up_fine_tuning(const FineTuneWish& wish, Workers& workers, TrainRequest& request) {
  Json told;
  if (workers.leads()) {
    FineTuned tuned = fine_tune(wish);
    request.notes = std::move(tuned.notes);
    told = {{"config", show(tuned.config)}, {"replayed", tuned.replayed}};
  }
  told = parse_json(workers.comm().broadcast(dump_json(told)));
  load(parse_yaml(told.at("config"), "the configuration of worker 0"), request.config);
  if (const std::string replayed = told.at("replayed"); !replayed.empty()) request.datasets.emplace_back(replayed);
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
  TrainRequest request;
  std::string file, finetune, run, resume = "auto";
  std::vector<std::string> data, overrides;
  options
      .add_list("--data", data, "Dataset folder; repeatable with the same subword model, the first has the dev pairs",
                "FOLDER")
      ->required();
  options.add_option("--run", run, "The run folder, new or of a run to resume")->required()->type_name("FOLDER");
  options.add_option("--config", file, "The configuration: a YAML file, or a preset's name (verbund config --list)")
      ->type_name("FILE");
  options
      .add_option(
          "--finetune", finetune,
          "Train the model of this run (or checkpoint) further: with its settings, its subword model, a fresh "
          "optimiser, a tenth of its steps and of its learning rate, and its dev set as a further one. --config "
          "and --set override these settings")
      ->type_name("RUN");
  std::optional<double> replay;
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
      .add_option("--benchmark", request.benchmark_steps,
                  "Only train N steps and print time per step and tokens per second")
      ->type_name("N")
      ->check(at_least(1));
  std::string on_alert;
  options
      .add_option(
          "--on-alert", on_alert,
          "A shell command to run when training diverges, stalls, does not improve, waits for a straggler, fails "
          "or is lost, or its disk is nearly full. VERBUND_ALERT_KIND, _TEXT, _RUN and _STEP say what it is")
      ->type_name("COMMAND");
  if (!options.read(arguments)) return;
  if (replay && finetune.empty()) fail_usage("--replay needs --finetune RUN, whose dataset it draws from");
  request.datasets.assign(data.begin(), data.end());
  request.run = run;
  request.resume =
      static_cast<Resume>(std::find(kResumeNames.begin(), kResumeNames.end(), resume) - kResumeNames.begin());
  request.program = program_version();
  request.command = command_line();
  request.restart = restart_reason(std::getenv(kRestartVariable));
  // A restart by launch: another start of this command has begun.
  const bool continues = std::getenv(kContinueVariable) != nullptr;
  if (continues) {
    if (request.resume == Resume::kNever) request.resume = Resume::kAuto;
    if (request.resume == Resume::kBest) request.resume = Resume::kForce;
  }
  if (const char* notes = std::getenv(kVerifiedVariable)) request.verified = notes;

  refuse_tasks_without_pmix(environment_variable);
  // Before there are threads and much memory: the command's process is a copy of this one.
  std::unique_ptr<AlertCommand> alerts;
  if (!on_alert.empty() && launched_rank() <= 0) alerts = std::make_unique<AlertCommand>(on_alert);
  request.alerts = alerts.get();

  int signal = 0;
  with_workers([&](Workers& workers) {
    if (workers.leads() && continues) check_continued_run(request.run, workers.self().host);
    if (workers.leads()) log_config_choice(file);
    if (finetune.empty()) {
      request.config = load_config(file, overrides);
    } else {
      set_up_fine_tuning({finetune, request.datasets, run, file, overrides, replay.value_or(0)}, workers, request);
    }
    const bool reports = workers.leads() && request.benchmark_steps == 0 && request.config.train.record;
    bool started = false;
    request.on_start = [&] { started = true; };
    try {
      signal = train(request, workers);
    } catch (const Error&) {  // also if the run has diverged
      if (reports && started && std::filesystem::exists(request.run / "metrics.jsonl")) tell_report(request);
      throw;
    }
    if (!reports) return;
    std::optional<DeferInterrupts> despite_signal;  // that ended the training; a second one ends the program at once
    if (signal != 0) despite_signal.emplace();
    tell_report(request);
  });
  if (signal != 0) throw Interrupted::in_silence(signal);  // the log has said so
}

}  // namespace verbund
