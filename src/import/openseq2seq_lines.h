// The lines of an OpenSeq2Seq console log that tell something, one by one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace verbund {

// What follows `words` in the line, without blanks before it; nothing if the line does not have them.
std::optional<std::string_view> text_after(std::string_view line, std::string_view words);

// The number that a text begins with: "2.7368 ", "nan", "inf"; nothing if it begins otherwise.
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

// "2020-06-26 15:36:42.835076: I tensorflow/..." -> "2020-06-26 15:36:42"; the time zone is not told.
std::optional<std::string> parse_clock(std::string_view line);

// "<s> ▁The ▁open ness </s> ..." -> "The openness": without marks of begin and end, and without what follows the end.
std::string text_of_pieces(std::string_view pieces);

}  // namespace verbund
