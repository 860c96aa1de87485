// SPDX-License-Identifier: Apache-2.0
#include "board/watched_run.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>

#include "config/settings.h"
#include "core/error.h"
#include "core/folder_lock.h"
#include "report/json_values.h"
#include "report/run_parts.h"

namespace verbund {
namespace {

constexpr size_t kStepsHeader = 16;
constexpr size_t kMaxMarks = 2000;
constexpr double kLockAge = 5;  // seconds after which a quiet run's lock is asked again

double seconds_of(const struct timespec& time) {
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

WatchedRun::WatchedRun(fs::path folder, std::string name)
    : folder_(std::move(folder)),
      name_(std::move(name)),
      metrics_tail_(folder_ / "metrics.jsonl"),
      history_tail_(folder_ / "history.jsonl") {
  record_.folder = folder_;
  record_.name = name_;
}

bool WatchedRun::has_changed(const char* file) {
  struct stat status = {};
  Stamp stamp;
  if (::lstat((folder_ / file).c_str(), &status) == 0 && S_ISREG(status.st_mode)) {
    stamp = {int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec,
             static_cast<uint64_t>(status.st_size) + 1};
  }
  Stamp& seen = stamps_[file];
  if (seen == stamp) return false;
  seen = stamp;
  return true;
}

bool WatchedRun::refresh(double now) {
  bool changed =
      metrics_tail_.read([&] { metrics_ = {}; }, whole_lines([&](std::string_view lines) { metrics_.add(lines); }));
  changed |= history_tail_.read(
      [&] {
        marks_.clear();
        diverged_ = stalled_ = false;
      },
      whole_lines([&](std::string_view lines) {
        while (!lines.empty()) {
          const size_t end = lines.find('\n');
          if (const Json line = try_parse_json(lines.substr(0, end)); line.is_object()) take_event(line);
          lines.remove_prefix(end + 1);
        }
      }));
  if (has_changed("run.json")) {
    read_record();
    changed = true;
  }
  if (has_changed("config.yaml")) {
    read_config();
    changed = true;
  }
  const RunState before = state_;
  const int64_t step = signs_.step;
  find_life(now);
  judge();
  changed |= state_ != before || signs_.step != step;
  if (changed) ++version_;
  return changed;
}

void WatchedRun::read_record() {
  record_.starts.clear();
  record_.hosts.clear();
  record_.imported = false;
  try {
    verbund::read_record(record_);
  } catch (const Error&) {  // it is damaged, or has just vanished: nothing is known
  } catch (const Json::exception&) {
  } catch (const fs::filesystem_error&) {
  }
  record_.record = nullptr;  // its statistics are long
}

void WatchedRun::read_config() {
  config_.reset();
  settings_ = Json::object();
  try {
    if (!fs::exists(folder_ / "config.yaml")) return;
    config_ = load_config((folder_ / "config.yaml").string(), {});
    settings_ = flatten(*config_);
  } catch (const Error&) {  // of another version, or half-written
  } catch (const fs::filesystem_error&) {
  }
}

void WatchedRun::take_event(const Json& line) {
  const std::string event = text_at(line, "event");
  const double step = number_at(line, "step");
  RunMark mark = {event, is_known(step) ? static_cast<int64_t>(step) : 0, number_at(line, "at"), ""};
  if (event == "start" || event == "resume") diverged_ = stalled_ = false;
  if (event == "stall") {
    stalled_ = true;
    stall_ = first_line(text_at(line, "message"));
  }
  if (event == "goes_on") stalled_ = false;
  if (event == "diverged") {
    diverged_ = true;
    divergence_ = first_line(text_at(line, "reason"));
  }
  if (event == "roll_back") diverged_ = false;

  if (event == "resume") {
    mark.text = fmt::format("resumed from step {}", mark.step);
  } else if (event == "roll_back") {
    mark.step = static_cast<int64_t>(std::max(0.0, number_at(line, "to_step")));
    mark.text = "rolled back: " + first_line(text_at(line, "reason"));
  } else if (event == "diverged" || event == "lost_worker" || event == "early_stop") {
    const std::string why = first_line(text_at(line, event == "lost_worker" ? "message" : "reason"));
    mark.text = (event == "diverged" ? "diverged: " : event == "early_stop" ? "stopped early: " : "") + why;
  } else {
    return;
  }
  if (marks_.size() == kMaxMarks) marks_.erase(marks_.begin());
  marks_.push_back(std::move(mark));
}

// The newest change of a file that a living run writes every second or so.
void WatchedRun::find_life(double now) {
  last_sign_ = kNotKnown;
  for (const char* file : {"metrics.jsonl", "log.txt", "history.jsonl", "run.json", "steps/rank-0.bin"}) {
    struct stat status = {};
    if (::lstat((folder_ / file).c_str(), &status) != 0) continue;
    const double time = seconds_of(status.st_mtim);
    if (!(last_sign_ >= time)) last_sign_ = time;
  }
  if (!record_.starts.empty()) {
    const fs::path samples = resources_path(folder_, 0, static_cast<uint32_t>(record_.starts.back().number));
    struct stat status = {};
    if (::lstat(samples.c_str(), &status) == 0) last_sign_ = std::fmax(last_sign_, seconds_of(status.st_mtim));
  }
  signs_.quiet = is_known(last_sign_) ? std::max(0.0, now - last_sign_) : std::numeric_limits<double>::infinity();

  // Asking for the lock takes it for a moment, in which a run that starts would be refused: so only a run that seems to
  // be at work but is quiet is asked, and seldom.
  const bool has_ended = record_.starts.empty() || !record_.starts.back().reason.empty();
  if (has_ended) {
    signs_.locked = false;
  } else if (signs_.quiet < kLockAge) {
    signs_.locked = true;
  } else if (now - asked_lock_ >= kLockAge) {
    asked_lock_ = now;
    try {
      signs_.locked = FolderLock(folder_).is_taken();
    } catch (const Error&) {
      signs_.locked = false;
    }
  }
}

void WatchedRun::judge() {
  const MetricTable &train = training(), &dev = evaluations();
  signs_.has_starts = !record_.starts.empty();
  signs_.imported = record_.imported;
  signs_.reason = signs_.has_starts ? record_.starts.back().reason : "";
  if (signs_.has_starts && record_.starts.back().killed) signs_.reason = "killed";
  const std::string loss = loss_key();
  const bool not_a_number = !loss.empty() && train.not_finite.contains(loss) && !train.not_finite.at(loss).empty() &&
                            train.not_finite.at(loss).back() + 1 == train.rows();
  signs_.diverged = diverged_ || not_a_number;
  if (not_a_number && !diverged_) divergence_ = "the loss is not a number";
  signs_.step = train.step.empty() ? 0 : train.step.back();
  if (!dev.step.empty()) signs_.step = std::max(signs_.step, dev.step.back());
  if (const std::vector<StepRecord> record = read_last_step_records(step_records_path(folder_, 0), 1);
      !record.empty() && signs_.has_starts && record[0].start == static_cast<uint32_t>(record_.starts.back().number)) {
    signs_.step = std::max(signs_.step, record[0].step);
  }
  signs_.evaluated = dev.step.empty() ? -1 : dev.step.back();
  signs_.eval_every = config_ ? config_->train.eval_every : 0;
  signs_.evaluates_first = config_ && config_->evaluate.at_start;
  signs_.last_step = config_ ? config_->train.max_steps : 0;
  if (config_ && config_->train.epochs > 0 && !train.step.empty()) {
    const double epoch = train.last("epoch");
    const auto steps = static_cast<double>(train.step.back());
    if (epoch > 0) {
      const auto end = static_cast<int64_t>(std::llround(steps / epoch * static_cast<double>(config_->train.epochs)));
      signs_.last_step = signs_.last_step > 0 ? std::min(signs_.last_step, end) : end;
    }
  }
  state_ = judge_state(signs_);
}

void WatchedRun::refresh_steps() {
  const int count = std::clamp(workers(), 1, 4096);
  for (int rank = 0; rank < count; ++rank) {
    const auto [found, is_new] = ranks_.try_emplace(rank, Rank{FileTail(step_records_path(folder_, rank))});
    Rank& worker = found->second;
    StepPhases& phases = phases_[rank];
    std::vector<StepRecord> records;
    worker.tail.read(
        [&] {
          phases.forget();
          worker.damaged = false;
        },
        [&](std::string_view bytes) -> size_t {
          size_t taken = 0;
          if (worker.tail.offset() == 0) {
            if (bytes.size() < kStepsHeader) return 0;
            uint32_t size = 0;
            std::memcpy(&size, bytes.data() + 12, sizeof size);
            worker.damaged = !bytes.starts_with("VBsteps\n") || size != sizeof(StepRecord);
            taken = kStepsHeader;
          }
          if (worker.damaged) return bytes.size();
          records.resize((bytes.size() - taken) / sizeof(StepRecord));
          std::memcpy(records.data(), bytes.data() + taken, records.size() * sizeof(StepRecord));
          phases.add(records);
          return taken + records.size() * sizeof(StepRecord);
        });
  }
}

std::vector<RunMark> WatchedRun::marks() const {
  std::vector<RunMark> marks = marks_;
  const MetricTable& dev = evaluations();
  const std::vector<double> bleu = dev.column("dev_bleu");
  size_t best = bleu.size();
  for (size_t i = 0; i < bleu.size(); ++i) {
    if (is_known(bleu[i]) && (best == bleu.size() || bleu[i] > bleu[best])) best = i;
  }
  if (best < bleu.size()) marks.push_back({"best", dev.step[best], dev.time[best], "best BLEU"});
  std::stable_sort(marks.begin(), marks.end(), [](const RunMark& a, const RunMark& b) { return a.step < b.step; });
  return marks;
}

const std::vector<WorkerStepTime>& WatchedRun::step_times() const {
  if (step_times_version_ != version_) {
    const auto start = static_cast<uint32_t>(record_.starts.empty() ? 0 : record_.starts.back().number);
    step_times_ = read_worker_step_times(folder_, workers(), start, [&](int rank) { return worker_name(rank); });
    step_times_version_ = version_;
  }
  return step_times_;
}

int WatchedRun::workers() const {
  size_t count = 0;
  for (const HostFacts& host : record_.hosts) count += host.workers.size();
  if (count > 0) return static_cast<int>(std::min<size_t>(count, 100'000));
  const double logged = training().last("workers");
  return is_known(logged) && logged < 1e5 ? static_cast<int>(logged) : 0;
}

double WatchedRun::seconds_left() const {
  if (!is_running(state_) || signs_.last_step <= signs_.step) return kNotKnown;
  const MetricTable& train = training();
  const std::vector<double> starts = train.column("start");
  size_t first = train.rows();
  constexpr size_t kLines = 50;
  while (first > 0 && train.rows() - first < kLines && (first == train.rows() || starts[first - 1] == starts.back())) {
    --first;
  }
  const auto steps_left = static_cast<double>(signs_.last_step - signs_.step);
  if (train.rows() >= first + 3) {  // by the clock: with evaluations and saves
    const double seconds = train.time.back() - train.time[first];
    const auto steps = static_cast<double>(train.step.back() - train.step[first]);
    if (seconds >= 5 && steps > 0) return steps_left * seconds / steps;
  }
  return steps_left * train.last("seconds_per_step");
}

std::string WatchedRun::loss_key() const {
  for (const char* key : {"train_cross_entropy", "train_loss"}) {
    if (training().columns.contains(key)) return key;
  }
  return "";
}

}  // namespace verbund
