// SPDX-License-Identifier: Apache-2.0
#include "import/imported_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <map>
#include <set>

#include "core/error.h"
#include "core/file.h"
#include "core/human.h"
#include "core/json.h"
#include "core/wall_clock.h"
#include "import/scalar_tags.h"
#include "record/run_record.h"

namespace verbund {
namespace {

// "2020-06-29T01:47:42.431786Z"
std::string precise_time(double seconds) {
  constexpr int64_t kMicros = 1'000'000;
  const int64_t micros = std::llround(seconds * kMicros);
  std::string text = utc_time(std::chrono::system_clock::from_time_t(micros / kMicros));
  text.pop_back();
  return fmt::format("{}.{:06}Z", text, micros % kMicros);
}

// JSON has no numbers for NaN and infinities.
Json value_of(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

// A line of metrics.jsonl: all values of one step, of training or of an evaluation.
struct Line {
  int64_t step = 0;
  std::map<std::string, const ImportedPoint*> values;

  // The point whose time counts: that of the loss, else the earliest.
  const ImportedPoint& timed() const {
    for (const char* loss : {"train_loss", "dev_loss"}) {
      if (const auto found = values.find(loss); found != values.end()) return *found->second;
    }
    return *std::min_element(values.begin(), values.end(), [](const auto& a, const auto& b) {
              return a.second->time < b.second->time;
            })->second;
  }

  Json json() const {
    Json line = {{"step", step}};
    if (timed().has_time()) line["time"] = precise_time(timed().time);
    for (const auto& [key, point] : values) line[key] = value_of(point->value);
    return line;
  }
};

// Lines in the order of the points.
std::vector<Line> lines_of(const std::vector<ImportedPoint>& points) {
  std::vector<Line> lines;
  std::map<std::pair<int64_t, bool>, size_t> places;
  for (const ImportedPoint& point : points) {
    const auto [place, is_new] = places.emplace(std::pair(point.step, is_of_evaluation(point.key)), lines.size());
    if (is_new) lines.push_back({point.step, {}});
    lines[place->second].values[point.key] = &point;
  }
  return lines;
}

// One object per line.
template <typename Items, typename Show>
void write_lines(const fs::path& path, const Items& items, Show show) {
  AtomicFile file(path);
  for (const auto& item : items) file.write(dump_json(show(item)) + "\n");
  file.commit();
}

std::vector<std::string> find_unknown(const ImportedRun& run) {
  constexpr std::array<std::pair<const char*, const char*>, 6> kCurves = {{{"train_loss", "training loss"},
                                                                           {"learning_rate", "learning rate"},
                                                                           {"gradient_norm", "norm of the gradient"},
                                                                           {"seconds_per_step", "time per step"},
                                                                           {"dev_loss", "loss on the dev set"},
                                                                           {"dev_bleu", "BLEU of real translations"}}};
  std::set<std::string> keys;
  for (const ImportedPoint& point : run.points) keys.insert(point.key);
  std::vector<std::string> unknown;
  for (const auto& [key, name] : kCurves) {
    if (!keys.contains(key)) unknown.emplace_back(name);
  }
  const bool timed = std::any_of(run.points.begin(), run.points.end(), [](const auto& p) { return p.has_time(); });
  if (!timed) unknown.emplace_back("time of day of each step");
  if (!run.facts.contains("workers")) unknown.emplace_back("number of workers");
  if (run.hosts.empty()) unknown.emplace_back("hosts");
  if (run.original_config.empty()) unknown.emplace_back("configuration");
  unknown.emplace_back("training set");
  unknown.emplace_back("checkpoints");
  unknown.emplace_back("what each worker, processor and network did in each step");
  return unknown;
}

Json describe(const ImportedRun& run, const fs::path& source, const std::vector<Line>& lines) {
  size_t evaluations = 0;
  for (const Line& line : lines) evaluations += is_of_evaluation(line.values.begin()->first) ? 1 : 0;
  Json json = {
      {"source", fs::absolute(source).lexically_normal().string()},
      {"kind", run.kind},
      {"what", fmt::format("{} logged steps, {} evaluations, {} samples", human_count(lines.size() - evaluations),
                           human_count(evaluations), human_count(run.samples.size()))}};
  json.update(run.facts);
  json["notes"] = run.notes;
  json["unknown"] = find_unknown(run);
  return json;
}

// The only known start; the notes mention restarts.
Json describe_start(const ImportedRun& run) {
  const auto [first, last] = std::minmax_element(run.points.begin(), run.points.end(),
                                                 [](const auto& a, const auto& b) { return a.step < b.step; });
  double begin = std::nan(""), end = std::nan("");
  for (const ImportedPoint& point : run.points) {
    begin = std::fmin(begin, point.time);
    end = std::fmax(end, point.time);
  }
  Json start = Json::object();
  if (!std::isnan(begin)) start["time"] = precise_time(begin);
  start["step"] = first->step;
  if (!run.hosts.empty()) start["hosts"] = run.hosts;
  Json& stop = start["stop"];
  if (!std::isnan(end)) stop["time"] = precise_time(end);
  stop["reason"] = fmt::format("{} at step {}", run.end.empty() ? "the source ends" : run.end, last->step);
  return start;
}

}  // namespace

void check_place_of_import(const fs::path& folder) {
  if (!fs::exists(fs::symlink_status(folder))) return;
  if (fs::is_directory(folder) && fs::is_empty(folder)) return;
  fail("--run {} exists already and is not empty. Give a new folder.", folder.string());
}

Json write_imported_run(const ImportedRun& run, const fs::path& source, const fs::path& folder) {
  if (run.points.empty()) fail("{} holds no values to import", source.string());
  check_place_of_import(folder);
  const std::vector<Line> lines = lines_of(run.points);
  Json record = new_run_record();
  record["start_count"] = 1;
  record["starts"].push_back(describe_start(run));
  record["imported"] = describe(run, source, lines);

  const PartialFolder partial(folder);
  write_lines(partial.path() / "metrics.jsonl", lines, [](const Line& line) { return line.json(); });
  if (!run.samples.empty()) {
    write_lines(partial.path() / "samples.jsonl", run.samples, [](const ImportedSample& sample) {
      return Json{{"step", sample.step},
                  {"split", sample.split},
                  {"source", sample.source},
                  {"reference", sample.reference},
                  {"prediction", sample.prediction}};
    });
  }
  if (!run.original_config.empty()) write_file(partial.path() / "original-config.txt", run.original_config);
  if (!run.config_yaml.empty()) write_file(partial.path() / "config.yaml", run.config_yaml);
  write_run_record(partial.path(), record);
  partial.publish();
  return record["imported"];
}

}  // namespace verbund
