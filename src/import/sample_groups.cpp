#include "import/sample_groups.h"

#include <algorithm>

namespace verbund {
namespace {

using Part = SampleLine::Part;

constexpr size_t kLargestGroup = 48;  // lines of workers that print at once

bool is_balanced(const std::vector<Part>& parts) {
  const auto count = [&](Part part) { return std::count(parts.begin(), parts.end(), part); };
  return count(Part::kSource) == count(Part::kTarget) && count(Part::kTarget) == count(Part::kPrediction);
}

}  // namespace

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
