// metrics.jsonl as columns. A run that logs every step has hundreds of thousands of lines, so they are read by a
// scanner of their own, which knows flat objects alone.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "report/run_data.h"

namespace verbund {

struct FlatMember {
  enum class Kind { kNumber, kText, kOther };
  std::string_view key;  // as it is written, escapes included
  Kind kind = Kind::kOther;
  double number = 0;  // true is 1, false 0; "NaN" and the like as strings are numbers, too
  std::string_view text;
};

// The members of a JSON object on one line; lists and objects in it are passed over. False if it is none.
bool read_flat_object(std::string_view line, std::vector<FlatMember>& members);

struct MetricsReader {
  MetricTable training, evaluations;
  size_t damaged = 0;  // lines that hold no object with a step; a last one that a kill has cut is not counted
  size_t undone = 0;   // rows that a later line of an earlier step replaced
  bool clock_set_back = false;
};

MetricsReader read_metric_lines(std::string_view text);

}  // namespace verbund
