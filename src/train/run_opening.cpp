// Opening a run: see open_run in train/run.h.
#include "collectives/agreement.h"
#include "collectives/threads.h"
#include "config/load.h"
#include "config/show.h"
#include "config/value.h"
#include "core/error.h"
#include "core/log.h"
#include "cuda/open_device.h"
#include "evaluate/test_set.h"
#include "collectives/agreement.h"
#include "train/compatibility.h"
#include "train/device_exchange.h"
#include "train/fit_batch.h"
#include "train/freeze.h"
#include "train/run.h"

namespace verbund {
namespace {

// What the command line asks for must be the same everywhere.
std::string purpose(const TrainRequest& request) {
  return fmt::format("--resume {}{}", kResumeNames[static_cast<size_t>(request.resume)],
                     request.benchmark_steps > 0 ? fmt::format(" --benchmark {}", request.benchmark_steps) : "");
}

std::unique_ptr<RunKeeper> make_keeper(const TrainRequest& request, const Workers& workers) {
  if (!workers.leads()) return std::make_unique<RunKeeper>();
  const bool anew = request.resume == Resume::kNever || request.benchmark_steps > 0;
  return std::make_unique<FolderKeeper>(request.run, anew, request.config.checkpoint);
}

// Fills in what is left open, the same way in every part of the run.
Config settle(Config config, const Dataset& dataset, Device& device, RunKeeper& keeper, Workers& workers) {
  tokenizer_named(config.evaluate.tokenize);  // refuses an unknown one now, not at the first evaluation
  if (config.batch.tokens != kAutomatic) return config;
  double tokens = 0, at_once = 0;  // of all workers; of one of them
  if (const Checkpoint* newest = keeper.find_newest()) {
    Config earlier;
    load(parse_yaml(newest->config_yaml(), "the checkpoint's config.yaml"), earlier);
    tokens = static_cast<double>(earlier.batch.tokens);
    at_once = static_cast<double>(earlier.train.micro_batch_tokens);
  }
  tokens = workers.comm().max(tokens);
  at_once = workers.comm().max(at_once);
  if (tokens == 0) {
    const VocabularySizes sizes = {static_cast<int64_t>(dataset.manifest().source_vocabulary),
                                   static_cast<int64_t>(dataset.manifest().target_vocabulary)};
    at_once =
        workers.comm().min(static_cast<double>(tokens_that_fit(device, config, sizes, workers.self().local_size)));
    tokens = at_once * workers.size();
  }
  debug("batch.tokens: auto: {} tokens, {} at once on each worker", tokens, at_once);
  config.batch.tokens = static_cast<int64_t>(tokens);
  config.train.micro_batch_tokens = static_cast<int64_t>(at_once);
  return config;
}

// What 16 bits need on a GPU.
void check_half_precision(const Config& config, const Device& device, const DatasetManifest& manifest, bool leads) {
  if (device.compute_dtype() == FloatType::kFp32) return;
  if (device.compute_dtype() == FloatType::kFp16 && config.loss_scale.type == LossScaleType::kNone) {
    fail_usage("train.precision=fp16 needs loss_scale.type=backoff (or logmax): small gradients vanish in 16 bits");
  }
  if (leads && manifest.target_vocabulary % 8 != 0) {
    warn(
        "the target vocabulary has {} pieces, no multiple of 8: the largest products are several times slower on a GPU "
        "for that. Prepare the dataset with subwords.vocabulary={}",
        manifest.target_vocabulary, (manifest.target_vocabulary + 7) / 8 * 8);
  }
}

void validate_settings(const Run& run) {
  if (run.plan.pairs() == 0) {
    fail("all {} training pairs are longer than batch.max_length {}", run.dataset.split("train").size(),
         run.config.batch.max_length);
  }
  const bool has_dev = run.dataset.has("dev");
  if (!run.config.evaluate.stop_on.empty() && (!has_dev || run.config.train.eval_every == 0)) {
    fail_usage("evaluate.stop_on={} needs {}", run.config.evaluate.stop_on,
               has_dev ? "evaluations: set train.eval_every" : "dev pairs, and the dataset has none");
  }
}

void check_compatible(const Checkpoint& newest, Run& run) {
  run.differences =
      differences_that_matter(newest.config_yaml(), run.config_yaml, newest.state_json(), run.state.dataset);
  for (std::string& difference : what_starts_anew(newest, run.parts)) run.differences.push_back(std::move(difference));
  const Resume resume = run.request.resume;
  if (run.differences.empty() || resume == Resume::kForce || resume == Resume::kBest) return;
  fail(
      "the run cannot go on, for it was started differently:\n  {}\nGive another --run folder to train anew, or "
      "--resume force to go on all the same.",
      fmt::join(run.differences, "\n  "));
}

// The state of an earlier part of the run. False: there is none.
bool take_over(Run& run) {
  const Checkpoint* newest = run.request.resume == Resume::kBest ? run.keeper->find_best() : run.keeper->find_newest();
  if (newest != nullptr) check_compatible(*newest, run);
  if (!run.workers.comm().any(newest != nullptr)) return false;
  restore(newest, run.parts, run.guard, run.best, run.state);
  if (run.workers.comm().any(!run.differences.empty())) run.guard.set_mean(0);  // of losses that cannot be compared
  // Forced onto other data, an epoch may be shorter than the part of it that is done.
  if (BatchPosition& at = run.state.position; at.batch >= run.plan.batches(at.epoch)) at = {at.epoch + 1, 0};
  return true;
}

void begin_anew(Run& run) {
  change_on_host(run.model->weights().write(), [&](std::span<float> values) {
    run.model->table().initialize(static_cast<uint64_t>(run.config.seed), values);
  });
  const std::string& other = run.config.train.start_from;
  if (run.workers.leads() && !other.empty()) start_from(other, *run.model);
  broadcast(run.workers, run.model->weights().write());
}

}  // namespace

std::unique_ptr<Run> open_run(const TrainRequest& request, Workers& workers) {
  const int threads = use_threads(workers, request.config.threads);
  Dataset dataset(request.dataset);
  check_agreement(workers, {request.program, purpose(request), dataset.manifest().checksum(), show(request.config)});
  // Before the run folder is made: a GPU that is not here leaves nothing behind.
  const TrainConfig& train = request.config.train;
  auto device = open_device({request.config.device, train.precision, false, workers.self().local_rank});
  check_same_device(workers, *device);
  check_half_precision(request.config, *device, dataset.manifest(), workers.leads());
  const std::string verified = verify_together(workers, dataset);
  std::unique_ptr<RunKeeper> keeper = make_keeper(request, workers);
  const Config config = settle(request.config, dataset, *device, *keeper, workers);

  auto run = std::make_unique<Run>(request, workers, threads, std::move(dataset), config, std::move(device),
                                   std::move(keeper));
  if (workers.size() > 1) run->together.emplace();
  run->verified = verified;
  validate_settings(*run);
  run->optimizer->freeze(frozen_parameters(run->model->table(), config.train.freeze));
  run->start = static_cast<int64_t>(workers.comm().max(static_cast<double>(run->keeper->starts())));
  run->resumed = take_over(*run);
  debug("run: {} step {}, start number {}", run->resumed ? "resumes after" : "begins at", run->state.step, run->start);
  if (!run->resumed) begin_anew(*run);
  run->first_step = run->state.step;
  if (run->dataset.has("dev")) run->dev = read_test_set(run->dataset, "dev", run->source, run->target);
  if (const int64_t pairs = config.evaluate.train_probe; pairs > 0) {
    run->train_probe = choose_train_probe(run->dataset.split("train"), pairs, config.batch.max_length,
                                          static_cast<uint64_t>(config.seed));
  }
  return run;
}

}  // namespace verbund
