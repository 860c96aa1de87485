// SPDX-License-Identifier: Apache-2.0
// Parsers for the informative lines of an OpenSeq2Seq console log, and for what follows from several of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "import/imported_run.h"

namespace verbund {

// The text after `words` in the line, without leading blanks; nothing if the line does not contain them.
std::optional<std::string_view> text_after(std::string_view line, std::string_view words);

// The number at the front of a text: "2.7368 ", "nan", "inf"; nothing if there is none.
std::optional<double> leading_number(std::string_view text);
std::optional<int64_t> leading_integer(std::string_view text);

// "*** Global step 3200: ***     Train loss: 2.7368"
struct StepLine {
  int64_t step = 0;
  double loss = 0;
};
std::optional<StepLine> parse_step_line(std::string_view line);

// "time per step = 0:00:1.617" -> 1.617
std::optional<double> parse_time_per_step(std::string_view line);

// "***     Train Source[0]:     <s> ▁The ..." and the same with *****EVAL
struct SampleLine {
  enum class Part { kSource, kTarget, kPrediction };
  bool training = true;
  Part part = Part::kSource;
  std::string_view pieces;
};
std::optional<SampleLine> parse_sample_line(std::string_view line);

// "v100x:298:374 [0] NCCL INFO rank 0 nranks 4"
struct NcclLine {
  std::string host;
  int64_t rank = 0, workers = 0;
};
std::optional<NcclLine> parse_nccl_line(std::string_view line);

// "2020-06-26 15:36:42.835076: I tensorflow/..." -> "2020-06-26 15:36:42"; the time zone is unknown.
std::optional<std::string> parse_clock(std::string_view line);

// "tensorflow.python.framework.errors_impl.ResourceExhaustedError: OOM when allocating tensor ..." -> the same from
// "ResourceExhaustedError" on, and what mpirun says of a process that was killed; nothing for other lines.
std::optional<std::string> parse_failure(std::string_view line);

// "<s> ▁The ▁open ness </s> ..." -> "The openness": without <s>, </s> and all that follows </s>.
std::string text_of_pieces(std::string_view pieces);

// The step of an evaluation is not in OpenSeq2Seq's log; it follows from the steps printed around it.
struct PrintedAround {
  std::optional<int64_t> before, after;  // steps printed before and after the evaluation
  std::optional<int64_t> eval_every;     // eval_steps of the configuration
  std::optional<int64_t> print_every;    // print_loss_steps
  std::optional<int64_t> last;           // max_steps
};

struct EvaluationStep {
  int64_t step = 0;
  bool certain = true;  // false: no step between the two fits the configuration, or there is no configuration
};

// The log prints an evaluation before the line of its own step.
EvaluationStep find_evaluation_step(const PrintedAround& printed);

// SampleGroups collects samples, which the log prints as three lines: source, target, prediction. Several workers print
// at once; where their lines are interleaved, nothing tells which belong together, and they are skipped.
class SampleGroups {
 public:
  explicit SampleGroups(std::vector<ImportedSample>& samples) : samples_(samples) {}

  void add(const SampleLine& line, int64_t step);

  // Another kind of line follows: an unfinished sample stays unfinished.
  void end();

  size_t mixed() const { return mixed_; }  // skipped lines

 private:
  std::vector<ImportedSample>& samples_;
  ImportedSample sample_;
  std::vector<SampleLine::Part> parts_;  // since the last time all samples were complete
  size_t mixed_ = 0;
};

}  // namespace verbund
