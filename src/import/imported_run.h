// SPDX-License-Identifier: Apache-2.0
// ImportedRun is what is known of a run of another program, before it becomes a run folder. Nothing is invented: what
// the source does not say stays empty.
#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "core/json.h"

namespace verbund {

// One value of a curve.
struct ImportedPoint {
  std::string key;  // as in metrics.jsonl
  int64_t step = 0;
  double value = 0;
  double time = std::numeric_limits<double>::quiet_NaN();  // seconds since 1970; NaN: not known

  bool has_time() const { return !std::isnan(time); }
};

// True for a plausible number of seconds since 1970.
inline bool is_time(double seconds) { return seconds > 0 && seconds < 1e11; }

struct ImportedSample {
  int64_t step = 0;
  std::string split;  // "train", "dev"
  std::string source, reference, prediction;
};

struct ImportedRun {
  std::string kind;                     // "openseq2seq-log"
  std::vector<ImportedPoint> points;    // as they came
  std::vector<ImportedSample> samples;  // as they came
  Json hosts = Json::array();           // as in run.json
  Json facts = Json::object();          // other facts, by name
  std::string original_config;          // "": the source has none
  std::string config_yaml;              // the same in our keys; "": it cannot be mapped
  std::string end;                      // why it ended: "finished"; "": unknown
  std::vector<std::string> notes;       // what was skipped or is uncertain
};

// Sorts the points by time, and removes those of steps that were repeated after a restart: when a curve goes back to an
// earlier step, all curves lose their earlier points of that step and later ones. Returns a note for each change.
std::vector<std::string> drop_undone(std::vector<ImportedPoint>& points);

// The console log of a training run with OpenSeq2Seq.
// Plain text, gzip or xz. Fails on any other file, with what was expected and what was found.
ImportedRun read_openseq2seq_log(const std::filesystem::path& path);

// Fails unless `folder` is missing or empty.
void check_place_of_import(const std::filesystem::path& folder);

// Returns the "imported" section of its run.json.
Json write_imported_run(const ImportedRun& run, const std::filesystem::path& source,
                        const std::filesystem::path& folder);

}  // namespace verbund
