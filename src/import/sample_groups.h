// Samples in a log, whose three parts are lines of their own: source, target, prediction. Several workers print them
// at once, and where their lines are mixed nobody can tell which belong together: those are left out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "import/imported_run.h"
#include "import/openseq2seq_lines.h"

namespace verbund {

class SampleGroups {
 public:
  explicit SampleGroups(std::vector<ImportedSample>& samples) : samples_(samples) {}

  void add(const SampleLine& line, int64_t step);

  // Something else stands there: what was begun is not finished any more.
  void end();

  size_t mixed() const { return mixed_; }  // lines that were left out

 private:
  std::vector<ImportedSample>& samples_;
  ImportedSample sample_;
  std::vector<SampleLine::Part> parts_;  // since the last moment when all that was begun was whole
  size_t mixed_ = 0;
};

}  // namespace verbund
