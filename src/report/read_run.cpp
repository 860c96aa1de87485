// SPDX-License-Identifier: Apache-2.0
// Parts of the folder are read independently, and a fault in one becomes a note.
#include <sys/stat.h>

#include <algorithm>
#include <charconv>

#include "checkpoint/checkpoint_reader.h"
#include "core/error.h"
#include "core/file.h"
#include "core/json.h"
#include "core/plain_path.h"
#include "core/wall_clock.h"
#include "page/number_format.h"
#include "record/metrics_reader.h"
#include "record/step_records.h"
#include "report/layouts.h"
#include "report/run_data.h"
#include "report/run_parts.h"
#include "report/run_reader.h"

namespace verbund {
namespace {

std::string damaged_lines(size_t count) {
  return counted(static_cast<double>(count), "damaged line was", "damaged lines were");
}

void read_config(RunData& run) {
  const fs::path path = run.folder / "config.yaml";
  if (!fs::exists(path)) return;
  run.config = load_config(path.string(), {});
}

void read_happenings(RunData& run) {
  History history = read_history(run.folder / "history.jsonl");
  run.history = std::move(history.events);
  if (history.damaged > 0) {
    run.notes.push_back(fmt::format("history.jsonl: {} skipped.", damaged_lines(history.damaged)));
  }
}

void read_buckets(RunData& run) {
  ExchangeTraces exchange = read_exchange(run.folder / "exchange.jsonl");
  run.exchange = std::move(exchange.traces);
  if (exchange.damaged > 0) {
    run.notes.push_back(fmt::format("exchange.jsonl: {} skipped.", damaged_lines(exchange.damaged)));
  }
}

// "rank-3.bin" -> 3
int number_after(const std::string& name, std::string_view start) {
  if (!name.starts_with(start)) return -1;
  int number = -1;
  std::from_chars(name.data() + start.size(), name.data() + name.size(), number);
  return number;
}

void read_resource_files(RunData& run) {
  const fs::path folder = run.folder / "resources";
  if (!fs::is_directory(folder)) return;
  for (const fs::path& path : list_folder(folder)) {
    if (path.extension() != ".bin") continue;
    try {
      run.resources.push_back(thin_resources(read_resources(path)));
    } catch (const Error& error) {
      run.notes.push_back(error.what());
    }
  }
  std::sort(run.resources.begin(), run.resources.end(), [](const Resources& a, const Resources& b) {
    return std::pair(a.header.rank, a.header.start) < std::pair(b.header.rank, b.header.start);
  });
}

uint64_t files_in(const fs::path& folder) {
  uint64_t bytes = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  return bytes;
}

void read_checkpoints(RunData& run) {
  const fs::path folder = run.folder / "checkpoints";
  if (!fs::is_directory(folder)) return;
  for (const CheckpointEntry& entry : list_checkpoints(folder)) {
    run.checkpoints.push_back({entry.folder.filename().string(), entry.step, {}, files_in(entry.folder)});
  }
  for (const fs::path& path : list_folder(folder)) {
    if (!fs::is_symlink(path)) continue;
    const std::string target = fs::read_symlink(path).filename().string();
    for (CheckpointOnDisk& checkpoint : run.checkpoints) {
      if (checkpoint.name == target) checkpoint.links.push_back(path.filename().string());
    }
  }
  // The newest readable one: while a run continues, one may vanish.
  for (auto found = run.checkpoints.rbegin(); found != run.checkpoints.rend() && !run.newest_checkpoint; ++found) {
    try {
      run.newest_checkpoint = read_checkpoint_contents(folder / found->name, false);
    } catch (const Error& error) {
      run.notes.push_back(error.what());
    }
  }
}

}  // namespace

bool FileSeen::grows_to(const fs::path& path, std::string_view bytes) {
  struct stat status = {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  const bool same = exists && inode_ == status.st_ino && device_ == status.st_dev && bytes.size() >= size_ &&
                    bytes.substr(size_ - end_.size(), end_.size()) == end_;
  inode_ = status.st_ino;
  device_ = status.st_dev;
  return same;
}

void FileSeen::note(std::string_view bytes) {
  constexpr size_t kCompared = 64;
  size_ = bytes.size();
  end_ = bytes.substr(size_ - std::min(size_, kCompared));
}

void RunReader::read_metrics(RunData& run) {
  const fs::path path = run.folder / "metrics.jsonl";
  if (!fs::exists(path)) {
    run.notes.push_back("There is no metrics.jsonl: nothing was logged yet.");
    return;
  }
  const MappedFile file(path);
  const std::string_view bytes = file.bytes();
  if (!metrics_file_.grows_to(path, bytes)) {
    metrics_file_.note("");
    metrics_ = {};
  }
  const size_t whole = bytes.rfind('\n') + 1;  // up to the last end of a line
  metrics_.add(bytes.substr(metrics_file_.size(), whole - metrics_file_.size()));
  metrics_file_.note(bytes.substr(0, whole));
  MetricsReader lines = metrics_;
  if (whole < bytes.size()) lines.add(bytes.substr(whole));
  run.training = std::move(lines.training);
  run.evaluations = std::move(lines.evaluations);
  if (lines.damaged > 0) run.notes.push_back(fmt::format("metrics.jsonl: {} skipped.", damaged_lines(lines.damaged)));
  if (lines.undone > 0) {
    run.notes.push_back(fmt::format("metrics.jsonl: {} skipped, because a later line goes back before that step.",
                                    counted(static_cast<double>(lines.undone), "line was", "lines were")));
  }
  if (lines.clock_set_back) {
    run.notes.push_back("metrics.jsonl: the clock was set back during the run, so times are not in order.");
  }
}

void RunReader::read_rank(RunData& run, int rank, const fs::path& path) {
  auto file = std::make_shared<const StepRecords>(path);
  const std::span<const StepRecord> records = file->all();
  const std::string_view bytes(reinterpret_cast<const char*>(records.data()), records.size_bytes());
  RankSeen& seen = ranks_[rank];
  if (!seen.file.grows_to(path, bytes)) seen = {seen.file, {}};
  extend_kept_records(seen.kept, records, seen.kept.empty() ? 0 : seen.file.size() / sizeof(StepRecord));
  seen.file.note(bytes);
  const HostFacts* host = run.host_of(rank);
  run.ranks.push_back({rank, host ? host->name : "", file, records, seen.kept});
}

void RunReader::read_steps(RunData& run) {
  const fs::path folder = run.folder / "steps";
  if (!fs::is_directory(folder)) return;
  for (const fs::path& path : list_folder(folder)) {
    const int rank = number_after(path.filename().string(), "rank-");
    if (rank < 0 || path.extension() != ".bin") continue;
    try {
      read_rank(run, rank, path);
    } catch (const Error& error) {
      run.notes.push_back(error.what());
    }
  }
  std::sort(run.ranks.begin(), run.ranks.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
  drop_undone_records(run);
  for (int rank = 0; rank < run.workers() && !run.ranks.empty(); ++rank) {
    if (run.steps_of(rank)) continue;
    run.notes.push_back(
        fmt::format("The steps of {} are missing: comparisons of workers do not include it.", run.worker_name(rank)));
  }
}

void RunReader::read_evaluations(RunData& run) {
  const fs::path folder = run.folder / "evaluations";
  if (!fs::is_directory(folder)) return;
  for (const fs::path& path : list_folder(folder)) {
    const std::string name = path.filename().string();
    if (name.starts_with("step-") && path.extension() == ".jsonl") {
      run.evaluation_files.emplace_back(std::strtoll(name.c_str() + 5, nullptr, 10), path);
    }
  }
  std::sort(run.evaluation_files.begin(), run.evaluation_files.end());
  std::map<fs::path, LossesSeen> chosen_now;
  for (const size_t chosen : choose_evaluations(run)) {
    const auto& [step, path] = run.evaluation_files[chosen];
    const auto changed = fs::last_write_time(path);
    LossesSeen& now = chosen_now[path];
    if (const auto before = evaluations_.find(path);
        before != evaluations_.end() && before->second.changed == changed) {
      now = std::move(before->second);
    } else {
      now = {changed, read_sentence_losses(step, path)};
    }
    if (!now.losses.tokens.empty()) run.sentence_losses.push_back(now.losses);
  }
  evaluations_ = std::move(chosen_now);
}

RunData RunReader::read() {
  expect_folder(folder_, "a run");
  RunData run;
  run.folder = folder_;
  run.read_at = wall_seconds();
  run.name = folder_name(folder_);

  const auto attempt = [&](const auto& read_part) {
    try {
      read_part(run);
    } catch (const Error& error) {
      run.notes.push_back(error.what());
    } catch (const fs::filesystem_error& error) {  // it has just vanished
      run.notes.push_back(error.what());
    }
  };
  attempt(read_record);
  attempt([this](RunData& data) { read_metrics(data); });
  if (run.training.rows() + run.evaluations.rows() == 0 && run.record.is_null()) {
    fail(
        "nothing to report on: {} has neither run.json nor a line in metrics.jsonl. Give a run folder of "
        "`verbund train --run`.",
        folder_.string());
  }
  attempt(read_config);
  attempt(read_happenings);
  attempt([this](RunData& data) { read_steps(data); });
  attempt(read_resource_files);
  attempt(read_buckets);
  attempt(read_checkpoints);
  attempt([this](RunData& data) { read_evaluations(data); });
  complete_starts(run);
  return run;
}

RunData read_run(const fs::path& folder) { return RunReader(folder).read(); }

RunData RunReaders::read(const fs::path& folder) {
  std::shared_ptr<One> one;
  {
    const std::lock_guard lock(mutex_);
    const auto found =
        std::find_if(readers_.begin(), readers_.end(), [&](const auto& reader) { return reader->folder == folder; });
    if (found != readers_.end()) {
      one = *found;
      readers_.erase(found);
    } else {
      one = std::make_shared<One>(folder);
      if (readers_.size() == kMax) readers_.erase(readers_.begin());
    }
    readers_.push_back(one);
  }
  const std::lock_guard lock(one->mutex);
  return one->reader.read();
}

}  // namespace verbund
