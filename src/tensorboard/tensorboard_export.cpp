// SPDX-License-Identifier: Apache-2.0
#include "tensorboard/tensorboard_run.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/file.h"
#include "core/interrupt.h"
#include "core/json.h"
#include "core/log.h"
#include "core/plain_path.h"
#include "core/wall_clock.h"
#include "record/evaluation_file.h"
#include "record/json_lines.h"
#include "record/run_record.h"
#include "tensorboard/plugin_values.h"

namespace verbund {
namespace {

constexpr const char* kMetrics = "metrics.jsonl";

double time_of(const Json& line) {
  const auto found = line.find("time");
  return found != line.end() && found->is_string() ? parse_utc_time(found->get<std::string>()) : NAN;
}

std::string text_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::vector<TranslationSample> samples_of(const fs::path& run_folder, const std::vector<KeptPair>& pairs,
                                          int64_t step) {
  std::vector<TranslationSample> samples;
  const fs::path file = evaluation_file(run_folder, step);
  if (!fs::exists(file)) return samples;
  const std::vector<KeptSentence> sentences = read_evaluation(file).sentences;
  for (size_t i = 0; i < std::min({pairs.size(), sentences.size(), kMaxSamples}); ++i) {
    if (!sentences[i].translation) continue;  // only its loss was computed
    samples.push_back({pairs[i].source, pairs[i].reference, *sentences[i].translation});
  }
  return samples;
}

// The time at which the run began: its first start in run.json, or else its first line of metrics.
double begin_of(const fs::path& run_folder, const Json& record) {
  if (const auto starts = record.find("starts"); starts != record.end() && !starts->empty()) {
    if (const double time = time_of(starts->front()); std::isfinite(time)) return time;
  }
  double first = NAN;
  (void)read_json_lines(run_folder / kMetrics, [&](const Json& line) {
    check_interrupt();
    if (!std::isfinite(first)) first = time_of(line);
  });
  return std::isfinite(first) ? first : parse_utc_time(time_of_file(run_folder / kMetrics));
}

// The time at which it finished; NaN if it did not, or if that is not known.
double end_of(const Json& record) {
  const auto starts = record.find("starts");
  if (starts == record.end() || starts->empty()) return NAN;
  const auto stop = starts->back().find("stop");
  if (stop == starts->back().end() || !text_of(*stop, "reason").starts_with("finished")) return NAN;
  return time_of(*stop);
}

Json record_of(const fs::path& run_folder) {
  if (!fs::exists(run_folder / "run.json")) return Json::object();
  try {
    return read_run_record(run_folder);
  } catch (const Error& error) {
    warn("{} The start time of the run is taken from its metrics.", error.what());
    return Json::object();
  }
}

Json settings_of(const fs::path& run_folder, const Json& record) {
  const fs::path file = run_folder / "config.yaml";
  Json settings = Json::object();
  if (!fs::exists(file)) return settings;
  try {
    settings = hyper_parameters(load_config(file.string(), {}));
  } catch (const Error& error) {
    warn("{} The table of hyper-parameters has no settings of this run.", error.what());
    return settings;
  }
  if (const auto starts = record.find("starts"); starts != record.end() && !starts->empty()) {
    size_t workers = 0;
    for (const Json& host : starts->back().value("hosts", Json::array())) {
      workers += host.value("workers", Json::array()).size();
    }
    if (workers > 0) settings["workers"] = workers;
  }
  return settings;
}

}  // namespace

ExportedRun add_run(const fs::path& run_folder, int64_t last_step, TensorBoardRun& run) {
  ExportedRun exported;
  const fs::path file = run_folder / kMetrics;
  const std::vector<KeptPair> pairs = read_dev(dev_file(run_folder));
  double time = parse_utc_time(time_of_file(file));  // of lines before the first with a time
  exported.damaged = read_json_lines(file, [&](const Json& line) {
    check_interrupt();
    const int64_t step = line.at("step").get<int64_t>();
    if (step > last_step) return;
    if (const double own = time_of(line); std::isfinite(own)) time = own;
    run.add_line(line, time);
    if (line.contains("dev_loss")) run.add_samples(step, time, samples_of(run_folder, pairs, step));
    ++exported.lines;
  });
  return exported;
}

ExportedRun export_to_tensorboard(const fs::path& run_folder, const fs::path& out) {
  expect_folder(run_folder, "a run");
  if (!fs::exists(run_folder / kMetrics)) {
    fail("{} has no {}: it is not a run folder, or the run has logged nothing yet", run_folder.string(), kMetrics);
  }
  const fs::path whole = plain_path(out);
  if (fs::exists(fs::symlink_status(whole)))
    fail("{} exists already: choose another --out, or remove it", out.string());
  const Json record = record_of(run_folder);
  const PartialFolder folder(whole);
  TensorBoardRun run(folder.path(), settings_of(run_folder, record));
  run.begin(-1, begin_of(run_folder, record));
  const ExportedRun exported = add_run(run_folder, std::numeric_limits<int64_t>::max(), run);
  if (const double end = end_of(record); std::isfinite(end)) run.add_end(end);
  run.sync();
  folder.publish();
  return exported;
}

}  // namespace verbund
