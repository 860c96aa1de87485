// SPDX-License-Identifier: Apache-2.0
// open_run prepares a run for training, see train/run.h.
#include "train/run_opening.h"

#include "collectives/agreement.h"
#include "collectives/threads.h"
#include "config/load.h"
#include "config/show.h"
#include "config/value.h"
#include "core/error.h"
#include "core/log.h"
#include "cuda/open_device.h"
#include "evaluate/evaluation.h"
#include "evaluate/test_set.h"
#include "record/evaluation_file.h"
#include "train/request_checks.h"
#include "train/run.h"
#include "train/start_from.h"

namespace verbund {
namespace {

// The request of the command line, which must be the same on all workers.
std::string purpose(const TrainRequest& request) {
  return fmt::format("--resume {}{}", kResumeNames[static_cast<size_t>(request.resume)],
                     request.benchmark_steps > 0 ? fmt::format(" --benchmark {}", request.benchmark_steps) : "");
}

std::unique_ptr<RunKeeper> make_keeper(const TrainRequest& request, const Workers& workers) {
  if (!workers.leads()) return std::make_unique<RunKeeper>();
  const bool is_new = request.resume == Resume::kNever || request.benchmark_steps > 0;
  return std::make_unique<FolderKeeper>(request.run, is_new, request.config.checkpoint);
}

// Replaces automatic settings, by the same values in every part of the run.
Config settle(Config config, const Dataset& dataset, Device& device, RunKeeper& keeper, Workers& workers) {
  if (config.batch.tokens != kAutomatic) return config;
  double tokens = 0, micro_batch = 0;  // of all workers; of one worker at once
  if (const Checkpoint* newest = keeper.find_newest()) {
    Config earlier;
    load(parse_yaml(newest->config_yaml(), "the checkpoint's config.yaml"), earlier);
    tokens = static_cast<double>(earlier.batch.tokens);
    micro_batch = static_cast<double>(earlier.train.micro_batch_tokens);
  }
  tokens = workers.comm().max(tokens);
  micro_batch = workers.comm().max(micro_batch);
  if (tokens == 0) {
    const VocabularySizes sizes = {static_cast<int64_t>(dataset.manifest().source_vocabulary),
                                   static_cast<int64_t>(dataset.manifest().target_vocabulary)};
    micro_batch =
        workers.comm().min(static_cast<double>(tokens_that_fit(device, config, sizes, workers.self().local_size)));
    tokens = micro_batch * workers.size();
  }
  debug("batch.tokens: auto: {} tokens, {} in a micro-batch of each worker", tokens, micro_batch);
  config.batch.tokens = static_cast<int64_t>(tokens);
  const int64_t requested = config.train.micro_batch_tokens, found = static_cast<int64_t>(micro_batch);
  const bool is_requested = requested > 0 && requested != TrainConfig().micro_batch_tokens;
  config.train.micro_batch_tokens = is_requested && (found == 0 || requested < found) ? requested : found;
  return config;
}

// Collective: a line for the log.
std::string verify_all(Workers& workers, std::span<const Dataset> datasets, const std::string& notes) {
  std::vector<std::string> lines;
  for (const Dataset& dataset : datasets) {
    lines.push_back(verify_together(workers, dataset, notes));
    if (datasets.size() > 1) lines.back() += fmt::format(" ({})", dataset.folder().string());
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

void warn_of_slow_vocabulary(const Device& device, const DatasetManifest& manifest) {
  if (device.compute_dtype() == FloatType::kFp32) return;
  if (manifest.target_vocabulary % 8 != 0) {
    warn(
        "the target vocabulary has {} pieces, which is not a multiple of 8: the largest GEMMs are several times slower "
        "on a GPU. Prepare the dataset with subwords.vocabulary={}",
        manifest.target_vocabulary, (manifest.target_vocabulary + 7) / 8 * 8);
  }
}

void validate_settings(const Run& run) {
  const bool has_dev = run.dataset.has("dev");
  if (!run.config.evaluate.stop_on.empty() && !has_dev) {
    fail_usage("evaluate.stop_on={} needs dev pairs, which the dataset does not have", run.config.evaluate.stop_on);
  }
  if (!run.config.evaluate.also.empty() && !has_dev) {
    fail_usage(
        "evaluate.also names extra dev sets, but the dataset {} has no dev pairs of its own, which decide what is "
        "best: prepare it with some",
        run.dataset.folder().string());
  }
  for (const MixtureStage& stage : run.state.mixture.stages()) {
    if (stage.until == StageUntil::kNone || (has_dev && run.config.train.eval_every > 0)) continue;
    fail_usage("stage {} of the mixture ends by an evaluation, but there are none: {}", stage.name,
               has_dev ? "set train.eval_every" : "the dataset has no dev pairs");
  }
}

void check_compatible(const Checkpoint& newest, Run& run) {
  const MixtureProgress& mixture = run.state.mixture;
  const std::string plain_mixture = describe(plan_stages({}, run.training, mixture.usable()), run.training);
  run.differences = differences_that_matter(newest.config_yaml(), run.config_yaml, newest.state_json(),
                                            run.state.dataset, mixture.description(), plain_mixture);
  for (std::string& difference : parts_to_reset(newest, run.state)) run.differences.push_back(std::move(difference));
  const Resume requested = run.request.resume;
  if (run.differences.empty() || requested == Resume::kForce || requested == Resume::kBest) return;
  fail(
      "the run cannot be resumed, because it was started differently:\n  {}\nGive another --run folder to train from "
      "scratch, or --resume force to resume it nevertheless.",
      fmt::join(run.differences, "\n  "));
}

// While a large model goes over a slow network, or is read from a slow disk, the workers wait for each other.
void report_loading(Workers& workers, int64_t step, bool loads) {
  workers.watchdog().report_phase(step, loads ? "loading the model" : "start", loads);
}

// Restores the state of an earlier part of the run. False: there is none.
bool resume(Run& run) {
  const Checkpoint* newest = run.request.resume == Resume::kBest ? run.keeper->find_best() : run.keeper->find_newest();
  if (newest != nullptr) check_compatible(*newest, run);
  if (!run.workers.comm().any(newest != nullptr)) return false;
  restore(newest, run.state);
  if (run.workers.comm().any(!run.differences.empty())) run.state.guard.set_mean(0);  // the losses cannot be compared
  run.open_stage();
  // With other data, an epoch may be shorter than the part of it that is done.
  if (BatchPosition& at = run.state.position; at.batch >= run.plan().batches(at.epoch)) at = {at.epoch + 1, 0};
  return true;
}

// Whether a resumed run began with the pairs of a dev set in this order. Only worker 0 has its folder.
bool began_with(const Run& run, const TestSet& dev, const std::string& name = "") {
  const fs::path kept = dev_file(run.request.run, name);
  return run.workers.leads() && run.resumed && fs::exists(kept) && read_file(kept) == dev_text(dev);
}

// Collective: the dev sets. Their pairs come from all sources in turn, except in a run that began with one source after
// the other, as those of older versions did: its best values and kept evaluations are of that order.
void read_dev_sets(Run& run) {
  const TestSet dev = read_test_set(run.dataset, "dev", run.source, run.target);
  run.dev = run.workers.comm().any(began_with(run, dev)) ? dev : with_sources_in_turn(dev, run.dataset);
  const auto arrange = [&](const TestSet& set, const Dataset& dataset, const std::string& name) {
    return began_with(run, set, name) ? set : with_sources_in_turn(set, dataset);
  };
  EvaluateConfig config = run.config.evaluate;
  const auto is_gone = [](const ExtraDevSetConfig& set) { return !fs::exists(fs::path(set.data) / kDatasetManifest); };
  if (run.resumed) std::erase_if(config.also, is_gone);  // the log says so
  run.extra_dev = read_extra_dev_sets(run.dataset, config, *run.dev, run.source, run.target, run.workers, arrange);
}

void start_run(Run& run) {
  TranslationModel& model = *run.state.model;
  change_on_host(model.weights().write(), [&](std::span<float> values) {
    model.table().initialize(static_cast<uint64_t>(run.config.seed), values);
  });
  if (run.workers.leads() && !run.config.train.start_from.empty()) {
    log("{}", start_from(run.config.train, run.dataset, run.source, run.target, model));
  }
  broadcast(run.workers, model.weights().write());
}

}  // namespace

std::unique_ptr<Run> open_run(const TrainRequest& request, Workers& workers) {
  const int threads = use_threads(workers, request.config.threads);
  std::vector<Dataset> datasets(request.datasets.begin(), request.datasets.end());
  check_agreement(workers, {request.program, purpose(request), checksum(datasets), show(request.config)});
  // Before the run folder is created: a missing GPU leaves nothing behind.
  const TrainConfig& train = request.config.train;
  auto device = open_device({request.config.device, train.precision, false, workers.self().local_rank});
  check_same_device(workers, *device);
  check_precision(request.config);
  if (workers.leads()) warn_of_slow_vocabulary(*device, datasets.front().manifest());
  const std::string verified = verify_all(workers, datasets, request.verified);
  std::unique_ptr<RunKeeper> keeper = make_keeper(request, workers);
  report_loading(workers, 0, true);  // for an automatic batch size, too
  const Config config = settle(request.config, datasets.front(), *device, *keeper, workers);

  auto run = std::make_unique<Run>(request, workers, threads, std::move(datasets), config, std::move(device),
                                   std::move(keeper));
  if (workers.size() > 1) run->together.emplace();
  run->verified = verified;
  validate_settings(*run);
  run->state.optimizer->freeze(frozen_parameters(run->state.model->table(), config.train.freeze));
  run->start = static_cast<int64_t>(workers.comm().max(static_cast<double>(run->keeper->starts())));
  run->resumed = resume(*run);
  debug("run: {} step {}, start number {}", run->resumed ? "resumes after" : "begins at", run->state.step, run->start);
  if (!run->resumed) start_run(*run);
  report_loading(workers, run->state.step, false);
  run->first_step = run->state.step;
  if (run->dataset.has("dev")) read_dev_sets(*run);
  if (const int64_t pairs = config.evaluate.train_probe; pairs > 0) {
    run->train_probe =
        choose_train_probe(run->training, pairs, config.batch.max_length, static_cast<uint64_t>(config.seed));
  }
  return run;
}

}  // namespace verbund
