// SPDX-License-Identifier: Apache-2.0
#include "record/history.h"

#include <cmath>

#include "core/log.h"
#include "core/wall_clock.h"
#include "record/json_lines.h"

namespace verbund {
namespace {

std::string utc_time_at(double seconds) {
  using std::chrono::system_clock;
  const auto since = std::chrono::duration<double>(seconds);
  return utc_time(system_clock::time_point(std::chrono::duration_cast<system_clock::duration>(since)));
}

}  // namespace

HistoryWriter::HistoryWriter(const std::filesystem::path& run, RecordPost post)
    : post_(std::move(post)), file_(run / "history.jsonl") {}

void HistoryWriter::add(const Worker& worker, double at, const RunEvent& happened) {
  if (happened.step >= 0 && worker.rank == post_.self.rank) step_ = happened.step;
  Json line = {{"time", utc_time_at(at)}, {"at", std::round(at * 1e6) / 1e6},
               {"event", happened.event}, {"rank", worker.rank},
               {"host", worker.host},     {"step", happened.step >= 0 ? happened.step : step_.load()},
               {"start", post_.start}};
  for (const auto& [key, value] : happened.details.items()) {
    if (!line.contains(key)) line[key] = value;
  }
  if (!happened.line.empty() && !line.contains("message")) line["message"] = happened.line;
  if (file_.add_line(dump_json(line)) || warned_.exchange(true)) return;
  warn(
      "cannot write to the run's history.jsonl (is the disk full?): training continues, but its events are not "
      "recorded");
}

History read_history(const std::filesystem::path& path) {
  History history;
  history.damaged = read_json_lines(path, [&](const Json& line) {
    history.events.push_back(
        {line.at("at"), line.at("event"), line.at("rank"), line.at("host"), line.at("step"), line.at("start"), line});
  });
  return history;
}

}  // namespace verbund
