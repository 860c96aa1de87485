// SPDX-License-Identifier: Apache-2.0
// MadeFolder writes the files of a run as a training does, for tests that watch it.
#pragma once

#include <fmt/format.h>

#include <fstream>

#include "core/json.h"
#include "core/wall_clock.h"
#include "record/run_record.h"
#include "record/step_records.h"
#include "support/temporary_folder.h"

namespace verbund {

class MadeFolder {
 public:
  explicit MadeFolder(fs::path folder, int workers = 1) : folder_(std::move(folder)), workers_(workers) {
    fs::create_directories(folder_ / "steps");
    write_record("");
    std::ofstream(folder_ / "config.yaml") << "train:\n  max_steps: 1000\n  eval_every: 100\n";
  }

  const fs::path& path() const { return folder_; }

  void append(const std::string& file, const Json& line) const {
    std::ofstream(folder_ / file, std::ios::app) << dump_json(line) << "\n";
  }
  // A logged step; time passes by a second a step.
  void train(int64_t step, double loss) const {
    append("metrics.jsonl", {{"step", step},
                             {"train_cross_entropy", loss},
                             {"target_tokens", step * 1000},
                             {"seconds_per_step", 1.0},
                             {"target_tokens_per_second", 1000},
                             {"time", utc_time(std::chrono::system_clock::from_time_t(1'770'000'000 + step))},
                             {"start", 0}});
  }
  void evaluate(int64_t step, double bleu) const {
    append("metrics.jsonl", {{"step", step}, {"dev_bleu", bleu}, {"dev_cross_entropy", 3.0}, {"start", 0}});
  }
  void steps(int rank, int64_t first, int64_t last, float compute) const {
    StepRecordWriter writer(step_records_path(folder_, rank));
    for (int64_t step = first; step <= last; ++step) {
      StepRecord record;
      record.step = step;
      record.began = 1'770'000'000 + static_cast<double>(step);
      record.seconds = compute + 0.1f;
      record.compute = compute;
      record.tokens = 500;
      (void)writer.add({&record, 1});
    }
  }
  void end(const std::string& reason) const { write_record(reason); }

 private:
  void write_record(const std::string& reason) const {
    Json ranks = Json::array();
    for (int rank = 0; rank < workers_; ++rank) ranks.push_back(rank);
    Json record = new_run_record();
    record["start_count"] = 1;
    Json start = {{"time", "2026-02-02T02:40:00Z"}, {"step", 0}, {"command", {"verbund", "train"}}};
    start["hosts"] = Json::array({{{"host", "alpha"}, {"cores", 4}, {"workers", ranks}}});
    if (!reason.empty()) start["stop"] = {{"time", "2026-02-02T02:50:00Z"}, {"reason", reason}};
    record["starts"] = Json::array({start});
    write_run_record(folder_, record);
  }

  fs::path folder_;
  int workers_;
};

}  // namespace verbund
