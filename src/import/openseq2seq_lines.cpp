// SPDX-License-Identifier: Apache-2.0
#include "import/openseq2seq_lines.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

namespace verbund {
namespace {

constexpr std::string_view kWordStart = "\u2581";  // marks the first piece of a word

std::string_view without_blanks(std::string_view text) {
  const size_t begin = text.find_first_not_of(' ');
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

template <typename T>
std::optional<T> leading(std::string_view text) {
  T value = {};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  const bool goes_on = end != text.data() + text.size() && (std::isalnum(static_cast<unsigned char>(*end)) != 0);
  return goes_on ? std::nullopt : std::optional(value);  // "12ab" is not a number
}

// Calls `use` with each piece; stops when it returns false.
template <typename Use>
void for_pieces(std::string_view text, Use use) {
  while (!(text = without_blanks(text)).empty()) {
    const std::string_view piece = text.substr(0, text.find(' '));
    text.remove_prefix(piece.size());
    if (!use(piece)) return;
  }
}

using Part = SampleLine::Part;

constexpr size_t kLargestGroup = 48;  // lines of workers that print at once

bool is_balanced(const std::vector<Part>& parts) {
  const auto count = [&](Part part) { return std::count(parts.begin(), parts.end(), part); };
  return count(Part::kSource) == count(Part::kTarget) && count(Part::kTarget) == count(Part::kPrediction);
}

}  // namespace

std::optional<std::string_view> text_after(std::string_view line, std::string_view words) {
  const size_t found = line.find(words);
  if (found == std::string_view::npos) return std::nullopt;
  return without_blanks(line.substr(found + words.size()));
}

std::optional<double> leading_number(std::string_view text) { return leading<double>(text); }
std::optional<int64_t> leading_integer(std::string_view text) { return leading<int64_t>(text); }

std::optional<StepLine> parse_step_line(std::string_view line) {
  const auto step_text = text_after(line, "*** Global step ");
  const auto loss_text = text_after(line, "Train loss:");
  if (!step_text || !loss_text) return std::nullopt;
  const auto step = leading_integer(*step_text);
  const auto loss = leading_number(*loss_text);
  if (!step || !loss || *step < 0) return std::nullopt;
  return StepLine{*step, *loss};
}

std::optional<double> parse_time_per_step(std::string_view line) {
  auto text = text_after(line, "time per step = ");
  if (!text) return std::nullopt;
  double seconds = 0;
  for (const double unit : {3600, 60}) {
    const size_t colon = text->find(':');
    const auto count = leading_integer(text->substr(0, colon));
    if (colon == std::string_view::npos || !count || *count < 0) return std::nullopt;
    seconds += unit * static_cast<double>(*count);
    text->remove_prefix(colon + 1);
  }
  const auto rest = leading_number(*text);
  if (!rest || !(*rest >= 0) || std::isinf(*rest)) return std::nullopt;
  return seconds + *rest;
}

std::optional<SampleLine> parse_sample_line(std::string_view line) {
  constexpr struct {
    std::string_view words;
    SampleLine::Part part;
  } kParts[] = {{"Source[", SampleLine::Part::kSource},
                {"Target[", SampleLine::Part::kTarget},
                {"Prediction[", SampleLine::Part::kPrediction}};
  if (!line.starts_with("***")) return std::nullopt;
  for (const bool training : {true, false}) {
    const auto rest = text_after(line, training ? "*     Train " : "*****EVAL ");
    if (!rest) continue;
    for (const auto& [words, part] : kParts) {
      const size_t colon = rest->find("]:");
      if (!rest->starts_with(words) || colon == std::string_view::npos) continue;
      return SampleLine{training, part, without_blanks(rest->substr(colon + 2))};
    }
  }
  return std::nullopt;
}

std::optional<NcclLine> parse_nccl_line(std::string_view line) {
  const auto rest = text_after(line, "NCCL INFO rank ");
  const size_t colon = line.find(':');
  if (!rest || colon == 0 || colon == std::string_view::npos) return std::nullopt;
  const auto workers_text = text_after(*rest, "nranks ");
  const auto rank = leading_integer(*rest);
  const auto workers = workers_text ? leading_integer(*workers_text) : std::nullopt;
  if (!rank || !workers || *rank < 0 || *rank >= *workers || *workers > 100'000) return std::nullopt;
  return NcclLine{std::string(line.substr(0, colon)), *rank, *workers};
}

std::optional<std::string> parse_clock(std::string_view line) {
  constexpr std::string_view kPattern = "0000-00-00 00:00:00.";
  if (line.size() < kPattern.size() || line.find(" tensorflow/") == std::string_view::npos) return std::nullopt;
  const bool fits = std::equal(kPattern.begin(), kPattern.end(), line.begin(), [](char pattern, char c) {
    return pattern == '0' ? std::isdigit(static_cast<unsigned char>(c)) != 0 : pattern == c;
  });
  return fits ? std::optional(std::string(line.substr(0, kPattern.size() - 1))) : std::nullopt;
}

std::optional<std::string> parse_failure(std::string_view line) {
  if (line.starts_with('[')) {  // mpirun's tag: "[1,0]<stderr>:"
    const size_t tag = line.find(">:");
    line.remove_prefix(tag == std::string_view::npos ? 0 : tag + 2);
  }
  if (line.starts_with("mpirun noticed that ") && line.find(" exited on signal ") != std::string_view::npos) {
    return std::string(line);
  }
  const auto is_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; };
  const std::string_view name = line.substr(0, std::find_if_not(line.begin(), line.end(), is_name) - line.begin());
  const bool is_exception = name.ends_with("Error") || name.ends_with("Exception") || name.ends_with("Interrupt");
  const std::string_view rest = line.substr(name.size());
  constexpr std::string_view kAbove = " (see above for traceback)";
  const std::string_view message = rest.substr(rest.starts_with(kAbove) ? kAbove.size() : 0);
  if (!is_exception || !(message.empty() || message.starts_with(": "))) return std::nullopt;
  const size_t dot = name.rfind('.');
  return std::string(name.substr(dot == std::string_view::npos ? 0 : dot + 1)) + std::string(message);
}

std::string text_of_pieces(std::string_view pieces) {
  const bool marked = pieces.find(kWordStart) != std::string_view::npos;  // else the tokens are words
  std::string text;
  for_pieces(pieces, [&](std::string_view piece) {
    if (piece == "</s>") return false;
    if (piece == "<s>" || piece == "<pad>") return true;
    const bool starts_word = !marked || piece.starts_with(kWordStart);
    if (marked && starts_word) piece.remove_prefix(kWordStart.size());
    if (starts_word && !text.empty()) text += ' ';
    text += piece;
    return true;
  });
  return text;
}

EvaluationStep find_evaluation_step(const PrintedAround& printed) {
  const bool began_again = printed.before && printed.after && *printed.after < *printed.before;
  if (!printed.before && printed.after == 0) return {0, true};
  const int64_t apart = std::max<int64_t>(printed.print_every.value_or(0), 0);
  // The range of possible steps.
  const int64_t low = printed.before ? *printed.before : std::max<int64_t>(printed.after.value_or(0) - apart, 0);
  const int64_t high = printed.after && !began_again ? *printed.after : low + apart;
  if (printed.last && *printed.last >= low && *printed.last <= high && !printed.after) return {*printed.last, true};
  if (printed.eval_every && *printed.eval_every > 0) {
    const int64_t step = high / *printed.eval_every * *printed.eval_every;
    if (step >= low) return {step, true};
  }
  return {low, low == high};
}

void SampleGroups::add(const SampleLine& line, int64_t step) {
  parts_.push_back(line.part);
  const std::string text = text_of_pieces(line.pieces);
  switch (line.part) {
    case Part::kSource:
      sample_ = {step, line.training ? "train" : "dev", text, "", ""};
      break;
    case Part::kTarget:
      sample_.reference = text;
      break;
    case Part::kPrediction:
      sample_.prediction = text;
      break;
  }
  if (parts_ == std::vector{Part::kSource, Part::kTarget, Part::kPrediction}) {
    samples_.push_back(sample_);
    parts_.clear();
  } else if (is_balanced(parts_) || parts_.size() > kLargestGroup) {
    end();
  }
}

void SampleGroups::end() {
  mixed_ += parts_.size();
  parts_.clear();
}

}  // namespace verbund
