// SPDX-License-Identifier: Apache-2.0
#include "record/run_record.h"

#include <unistd.h>

#include <random>

#include "core/error.h"
#include "core/json_file.h"
#include "core/log.h"
#include "core/machine.h"
#include "core/wall_clock.h"

namespace verbund {
namespace {

constexpr const char* kFile = "run.json";
constexpr const char* kFormat = "verbund-run";
constexpr int kVersion = 1;

// A run with many starts keeps its first and its latest ones.
constexpr size_t kFirstStarts = 10, kLastStarts = 40;

// Unique per run; it shows when and where the run began to those who only have a checkpoint.
std::string new_id() { return fmt::format("{}-{}-{:08x}", utc_time(), host_name(), std::random_device()()); }

void leave_out_the_middle(Json& starts) {
  if (starts.size() <= kFirstStarts + kLastStarts) return;
  starts.erase(starts.begin() + kFirstStarts, starts.end() - kLastStarts);
}

}  // namespace

Json new_run_record() {
  Json json = {{"format", kFormat}, {"version", kVersion}, {"id", new_id()}, {"start_count", 0}};
  json["dataset"] = Json::object();
  json["starts"] = Json::array();
  return json;
}

void write_run_record(const fs::path& folder, const Json& record) {
  write_file(folder / kFile, dump_json(record, 2) + "\n");
}

Json read_run_record(const fs::path& folder) {
  const fs::path path = folder / kFile;
  return use_json_file(path, "Move it away to continue with a new one.", [&](Json json) {
    if (json.at("format") != kFormat) fail("{} is not the record of a run", path.string());
    if (const int version = json.at("version"); version != kVersion) {
      fail("{} has format version {}, but this program reads version {}. Move it away to continue.", path.string(),
           version, kVersion);
    }
    (void)json.at("id").get<std::string>();
    (void)json.at("start_count").get<int64_t>();
    for (const Json& start : json.at("starts")) {
      if (start.contains("time") || !json.contains("imported")) (void)start.at("time").get<std::string>();
    }
    return json;
  });
}

RunRecord::RunRecord(const fs::path& folder) : folder_(folder) {
  if (fs::exists(folder_ / kFile)) {
    json_ = read_run_record(folder_);
  } else {
    json_ = new_run_record();
  }
  id_ = json_.at("id");
}

int64_t RunRecord::starts() const { return json_.at("start_count"); }

void RunRecord::start(const Start& start) {
  const std::lock_guard lock(mutex_);
  Json& starts = json_["starts"];
  if (!starts.empty() && !starts.back().contains("stop")) {
    starts.back()["stop"] = {{"reason", "killed, or the machine went down"},
                             {"last_sign_of_life", time_of_file(folder_ / "log.txt")}};
  }
  starts.push_back({{"time", utc_time()},
                    {"folder", fs::absolute(folder_).lexically_normal().string()},
                    {"program", start.program},
                    {"command", start.command},
                    {"mpi", start.mpi},
                    {"step", start.step},
                    {"dataset", start.dataset.value("checksum", "")},
                    {"mixture", start.dataset.value("mixture", "")},
                    {"differences", start.differences},
                    {"hosts", start.hosts}});
  leave_out_the_middle(starts);
  json_["start_count"] = json_["start_count"].get<int64_t>() + 1;
  json_["dataset"] = start.dataset;
  if (!start.started_from.is_null()) json_[kStartedFrom] = start.started_from;
  write();
  running_ = true;
}

void RunRecord::stop(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(running_, false)) return;
  json_["starts"].back()["stop"] = {{"time", utc_time()}, {"reason", reason}};
  try {
    write();
  } catch (const std::exception& error) {
    warn("the end of the run is not recorded: {}", error.what());
  }
}

void RunRecord::write() const { write_run_record(folder_, json_); }

}  // namespace verbund
