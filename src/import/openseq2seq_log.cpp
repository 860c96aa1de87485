// SPDX-License-Identifier: Apache-2.0
#include "import/imported_run.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>

#include "core/columns.h"
#include "core/error.h"
#include "core/file.h"
#include "core/human.h"
#include "core/json.h"
#include "core/progress.h"
#include "import/config_dump.h"
#include "import/openseq2seq_lines.h"
#include "text/line_reader.h"

namespace verbund {
namespace {

constexpr const char* kConfigWords = "*** Training config:";
constexpr const char* kEvalConfigWords = "*** Evaluation config:";

class LogReader {
 public:
  explicit LogReader(const fs::path& path) : path_(path), samples_(run_.samples) { run_.kind = "openseq2seq-log"; }

  ImportedRun read() {
    LineReader lines(path_);
    Progress progress("read", fs::file_size(path_), "bytes");
    for (std::string line; lines.next_line(line); line.clear()) {
      progress.update(lines.position());
      number_ = lines.lines();
      if (first_line_.empty()) first_line_ = line;
      take(line);
    }
    finish();
    return std::move(run_);
  }

 private:
  // An evaluation whose step is not known yet.
  struct Evaluation {
    std::optional<int64_t> before;  // the last step printed before it
    std::optional<double> loss, score;
    size_t first_sample = 0, samples = 0;  // of this evaluation
  };

  void take(std::string_view line) {
    if (dump_ != nullptr) {
      if (dump_->add(line)) return;
      dump_ = nullptr;
    }
    if (const auto sample = parse_sample_line(line)) {
      if (!sample->training && !evaluation_) begin_evaluation();
      return samples_.add(*sample, step_.value_or(0));
    }
    samples_.end();
    if (line.find("*** Global step ") != std::string_view::npos) return take_step(line);
    if (const auto seconds = parse_time_per_step(line)) return take_time(*seconds);
    if (line.find("Running evaluation on a validation set") != std::string_view::npos) return begin_evaluation();
    if (const auto text = text_after(line, "Validation loss:")) return take_result(*text, &Evaluation::loss);
    if (const auto text = text_after(line, "Eval BLUE score:")) return take_result(*text, &Evaluation::score);
    take_fact(line);
  }

  void take_step(std::string_view line) {
    const auto found = parse_step_line(line);
    if (!found) return note_damaged();
    end_evaluation();
    settle_evaluations(found->step);
    step_ = found->step;
    has_time_ = false;
    run_.points.push_back({"train_loss", found->step, found->loss});
  }

  void take_time(double seconds) {
    if (!step_ || has_time_) return note_damaged();  // its step is unknown
    has_time_ = true;
    run_.points.push_back({"seconds_per_step", *step_, seconds});
  }

  void begin_evaluation() {
    end_evaluation();
    evaluation_ = Evaluation{step_, {}, {}, run_.samples.size(), 0};
  }

  void take_result(std::string_view text, std::optional<double> Evaluation::*place) {
    const auto value = leading_number(text);
    if (!value) return note_damaged();
    if (!evaluation_ || ((*evaluation_).*place)) begin_evaluation();
    (*evaluation_).*place = *value;
  }

  void end_evaluation() {
    if (!evaluation_) return;
    evaluation_->samples = run_.samples.size() - evaluation_->first_sample;
    evaluations_.push_back(*evaluation_);
    evaluation_.reset();
  }

  // Called when the next step is printed or the log ends: now the steps of the evaluations are known.
  void settle_evaluations(std::optional<int64_t> next) {
    for (const Evaluation& evaluation : evaluations_) {
      if (!evaluation.loss && !evaluation.score) ++cut_evaluations_;
      const EvaluationStep found = find_evaluation_step({evaluation.before, next, training_.integer("eval_steps"),
                                                         training_.integer("print_loss_steps"),
                                                         finished_ ? training_.integer("max_steps") : std::nullopt});
      if (!found.certain) ++uncertain_;
      for (size_t i = 0; i < evaluation.samples; ++i) run_.samples[evaluation.first_sample + i].step = found.step;
      if (evaluation.loss) run_.points.push_back({"dev_loss", found.step, *evaluation.loss});
      if (evaluation.score) {
        run_.points.push_back({"dev_teacher_forced_piece_bleu", found.step, 100 * *evaluation.score});
      }
    }
    evaluations_.clear();
  }

  void take_fact(std::string_view line) {
    if (line.starts_with(kConfigWords)) {
      training_ = {};
      dump_ = &training_;
    } else if (line.starts_with(kEvalConfigWords)) {
      evaluating_ = {};
      dump_ = &evaluating_;
    } else if (const auto nccl = parse_nccl_line(line)) {
      hosts_[nccl->host].insert(nccl->rank);
      workers_ = std::max(workers_, nccl->workers);
    } else if (const auto rank = text_after(line, "Building graph in Horovod rank:")) {
      workers_ = std::max(workers_, leading_integer(*rank).value_or(-1) + 1);
    } else if (const auto count = text_after(line, "Total trainable parameters:")) {
      if (const auto parameters = leading_integer(*count)) run_.facts["parameters"] = *parameters;
    } else if (const auto clock = parse_clock(line)) {
      if (!run_.facts.contains("clock_first")) run_.facts["clock_first"] = *clock;
      run_.facts["clock_last"] = *clock;
    } else if (line.starts_with("name: ") && line.find(" major: ") != std::string_view::npos) {
      run_.facts["gpu"] = line.substr(6, line.find(" major: ") - 6);
    } else if (line.find("*** Finished training") != std::string_view::npos) {
      finished_ = true;
    } else if (const auto average = text_after(line, "Avg time per step:")) {
      if (const auto seconds = leading_number(average->substr(0, average->find('s')))) {
        run_.facts["average_seconds_per_step"] = *seconds;
      }
    } else if (const auto objects = text_after(line, "Avg objects per second:")) {
      if (const auto rate = leading_number(*objects)) run_.facts["average_objects_per_second"] = *rate;
    } else if (const auto failure = failure_.empty() ? parse_failure(line) : std::nullopt) {
      failure_ = *failure;  // the first: others follow from it
      failure_line_ = number_;
    }
  }

  void finish() {
    samples_.end();
    end_evaluation();
    settle_evaluations(std::nullopt);
    if (run_.points.empty()) refuse();
    if (finished_) run_.end = "finished";
    if (workers_ == 0 && training_.integer("num_gpus")) workers_ = *training_.integer("num_gpus");
    if (workers_ > 0) run_.facts["workers"] = workers_;
    for (const auto& [host, ranks] : hosts_) run_.hosts.push_back({{"host", host}, {"workers", ranks}});
    take_config();
    add_notes();
  }

  void take_config() {
    if (!training_.is_whole()) return;
    run_.original_config = fmt::format("{}\n{}", kConfigWords, training_.text());
    if (evaluating_.is_whole()) run_.original_config += fmt::format("{}\n{}", kEvalConfigWords, evaluating_.text());
    std::string why;
    run_.config_yaml = map_config_dump(training_, evaluating_, workers_, why);
    if (run_.config_yaml.empty()) run_.notes.push_back("its configuration cannot be converted: " + why);
  }

  void add_notes() {
    const auto note = [&](size_t count, const std::string& text) {
      if (count > 0) run_.notes.push_back(fmt::format("{} {}", human_count(count), text));
    };
    if (!failure_.empty() && !finished_) run_.notes.push_back("the log has an error, in " + failure_text());
    note(damaged_, fmt::format("lines are damaged, the first is line {}", first_damaged_));
    note(samples_.mixed(), "lines of samples are interleaved with those of other workers, and skipped");
    note(cut_evaluations_, "evaluations have no result: the log ends there, or they were interrupted");
    note(uncertain_, "evaluations have no step in the log: the step printed before is used");
  }

  void note_damaged() {
    if (damaged_++ == 0) first_damaged_ = number_;
  }

  // "line 120: \"ResourceExhaustedError: OOM when ...\" (out of GPU memory)"
  std::string failure_text() const {
    const bool memory =
        failure_.starts_with("ResourceExhaustedError") || failure_.find("OUT_OF_MEMORY") != std::string::npos;
    const bool of_gpu = failure_.find("GPU") != std::string::npos || failure_.find("CUDA") != std::string::npos;
    return fmt::format("line {}: \"{}\"{}", human_count(failure_line_), fit_columns(failure_, 160),
                       !memory  ? ""
                       : of_gpu ? " (out of GPU memory)"
                                : " (out of memory)");
  }

  [[noreturn]] void refuse() const {
    const bool known = training_.is_whole() || workers_ > 0;
    if (known && !failure_.empty()) {
      fail(
          "{} is a log of OpenSeq2Seq, but its training died before the first step, at {}. There is nothing to import.",
          path_.string(), failure_text());
    }
    fail(
        "{} {}: among its {} lines there is none with \"*** Global step N: *** Train loss: X\" or \"Validation loss: "
        "X\"{}",
        path_.string(),
        known ? "is a log of OpenSeq2Seq, but it ends before the first step" : "is not a log of OpenSeq2Seq",
        human_count(number_),
        number_ == 0 || known ? "." : fmt::format("; the first is \"{}\".", fit_columns(first_line_, 60)));
  }

  fs::path path_;
  ImportedRun run_;
  SampleGroups samples_;
  size_t number_ = 0;  // of the current line
  std::string first_line_;
  std::optional<int64_t> step_;  // the last printed step
  bool has_time_ = false;        // its time per step was printed
  std::optional<Evaluation> evaluation_;
  std::vector<Evaluation> evaluations_;
  ConfigDump training_, evaluating_;
  ConfigDump* dump_ = nullptr;                      // being read
  std::map<std::string, std::set<int64_t>> hosts_;  // ranks
  int64_t workers_ = 0;
  bool finished_ = false;
  std::string failure_;  // what the program died of
  size_t failure_line_ = 0;
  size_t damaged_ = 0, first_damaged_ = 0, cut_evaluations_ = 0, uncertain_ = 0;
};

}  // namespace

ImportedRun read_openseq2seq_log(const fs::path& path) { return LogReader(path).read(); }

}  // namespace verbund
