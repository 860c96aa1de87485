// SPDX-License-Identifier: Apache-2.0
#include "train/run_description.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "collectives/agreement.h"
#include "core/human.h"
#include "core/json_file.h"
#include "core/machine.h"
#include "decode/trained_model.h"
#include "train/mixture_log.h"

namespace verbund {
namespace {

std::string counted(int64_t number) { return human_count(static_cast<uint64_t>(number)); }

std::string time_line(const RunSummary& summary) {
  const RunTimes& times = summary.times;
  const std::pair<const char*, double> parts[] = {{"training", times.steps.seconds - times.waiting},
                                                  {"evaluation", times.first_look + times.evaluations.seconds},
                                                  {"saving", times.saves.seconds},
                                                  {"waiting for data", times.waiting},
                                                  {"starting", times.starting}};
  std::string line;
  for (const auto& [name, seconds] : parts) {
    line += fmt::format("{}{:.1f} % {}", line.empty() ? "" : ", ", 100 * seconds / summary.wall_seconds, name);
  }
  return "  time   " + line;
}

std::string best_line(const RunSummary& summary) {
  static constexpr std::pair<const char*, const char*> kNames[] = {
      {"bleu", "BLEU"}, {"chrf", "chrF"}, {"loss", "loss"}};
  std::string line;
  for (const auto& [metric, name] : kNames) {
    const auto found = summary.best.find(metric);
    if (found == summary.best.end()) continue;
    const auto& [value, step] = found->second;
    line += fmt::format("{}{} {:.{}f} (step {})", line.empty() ? "" : ", ", name, value,
                        std::string(metric) == "loss" ? 4 : 2, counted(step));
  }
  return line.empty() ? "" : "  best   " + line;
}

}  // namespace

Json describe_hosts(Workers& workers, const Device& device, int threads) {
  Json own = to_json(this_machine());
  std::set<int> cores;  // of all workers of this host: mpirun may bind each to others
  for (const Worker& worker : workers.all()) {
    if (worker.host == workers.self().host) cores.insert(worker.cores.begin(), worker.cores.end());
  }
  own["allowed_cores"] = std::min(cores.size(), static_cast<size_t>(usable_cores()));
  own["device"] = device.facts().kind;
  own["kernels"] = device.facts().name;
  own["precision"] = kPrecisionNames[static_cast<size_t>(device.precision())];
  own["threads_per_worker"] = threads;
  const std::vector<std::string> all = workers.comm().gather(dump_json(own));
  Json hosts = Json::array();
  for (size_t rank = 0; rank < all.size(); ++rank) {
    const Worker& worker = workers.all()[rank];
    if (worker.local_rank == 0) {
      hosts.push_back(parse_json(all[rank]));
      hosts.back()["workers"] = Json::array();
    }
    for (Json& host : hosts) {
      if (host.at("host") == worker.host) host["workers"].push_back(rank);
    }
  }
  return hosts;
}

Json describe_model(const TrainConfig& config) {
  if (config.start_from.empty()) return nullptr;
  ModelPlace place;
  place.folder = config.start_from;
  place.checkpoint = config.start_from_checkpoint;
  const fs::path checkpoint = fs::canonical(find_checkpoint(place));
  Json model = {{"path", fs::absolute(place.folder).lexically_normal().string()},
                {"checkpoint", checkpoint.filename().string()}};
  use_note(checkpoint / kStateFile, [&](const Json& state) { model[kOriginKey] = state.at(kOriginKey); });
  if (checkpoint.parent_path().filename() != "checkpoints") return model;  // it was moved away from its run
  use_note(checkpoint.parent_path().parent_path() / "run.json",
           [&](const Json& record) { model[kStartedFrom] = record.at(kStartedFrom); });
  return model;
}

std::string describe_rate_factor(const TrainState& state) {
  if (state.rate_factor == 1) return "";
  return fmt::format(", all times {:.3g} after {} roll-back{}", state.rate_factor, state.roll_backs,
                     state.roll_backs == 1 ? "" : "s");
}

std::string introduction(const Run& run) {
  const std::string folder = run.request.run.string();
  std::vector<std::string> lines = {
      run.resumed ? fmt::format("run: resume at step {} of {}", run.state.step, folder) : "run: start " + folder,
      fmt::format("model: {} parameters, {} target pieces", counted(run.state.model->table().count()),
                  counted(run.vocabularies.target)),
      fmt::format("dataset: {} training pairs ({} longer than {} tokens left out), {} batches per epoch",
                  human_count(run.plan().pairs()), human_count(run.plan().dropped_pairs()), run.config.batch.max_length,
                  run.plan().batches(run.state.position.epoch)),
      run.verified,
      "learning rate: " + run.state.schedule.describe() + describe_rate_factor(run.state),
      fmt::format("device: {}, {} thread{}", run.device->facts().description, run.threads,
                  run.threads == 1 ? "" : "s")};
  lines.insert(lines.end(), run.request.notes.begin(), run.request.notes.end());
  for (std::string& line : mixture_lines(run.state.mixture, run.resumed, run.state.step))
    lines.push_back(std::move(line));
  for (const std::string& difference : run.differences) lines.push_back("forced resume: " + difference);
  for (const ExtraDevSet& extra : run.extra_dev) {
    lines.push_back(
        fmt::format("evaluation: also on the {} dev pairs of {}", human_count(extra.set.size()), extra.name));
  }
  for (const ExtraDevSetConfig& wanted : run.config.evaluate.also) {
    const std::string name = dev_set_name(wanted);
    if (!run.dev || std::ranges::find(run.extra_dev, name, &ExtraDevSet::name) != run.extra_dev.end()) continue;
    lines.push_back(
        fmt::format("evaluation: no longer on the dev pairs of {}, because {} no longer exists", name, wanted.data));
  }
  if (!run.dev)
    lines.emplace_back("evaluation: none, because the dataset has no dev pairs; there is no best checkpoint");
  if (run.workers.size() > 1) lines.push_back(describe(run.workers, run.config.workers, run.devices != nullptr));
  return fmt::format("{}", fmt::join(lines, "\n"));
}

std::vector<std::string> summary_lines(const RunSummary& summary) {
  std::vector<std::string> lines;
  lines.push_back(fmt::format("{}: {} step{}{} in {}", summary.end, counted(summary.steps),
                              summary.steps == 1 ? "" : "s",
                              summary.first_step > 0 ? ", from step " + counted(summary.first_step) + " on" : "",
                              human_duration(summary.wall_seconds)));
  if (summary.wall_seconds > 0) lines.push_back(time_line(summary));
  if (const std::string best = best_line(summary); !best.empty()) lines.push_back(best);
  if (summary.model.empty()) return lines;
  lines.push_back("  model  " + summary.model);
  const std::string tag = summary.tags.empty() ? "" : " --tag " + shell_line({summary.tags.front()});
  lines.push_back(fmt::format("  use    verbund translate -m {}{} < text.{} > text.{}", summary.run, tag,
                              summary.source_language, summary.target_language));
  return lines;
}

}  // namespace verbund
