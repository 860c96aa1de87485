// SPDX-License-Identifier: Apache-2.0
// TensorBoard tags for the values of a line of metrics.jsonl: the tags that users of OpenSeq2Seq know, and the rest in
// groups. docs/tensorboard.md has the table.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"

namespace verbund {

struct TaggedValue {
  std::string tag;
  double value = 0;
};

// Values that are not numbers are left out, except those that stand for one in JSON: null, "NaN", "Infinity" and
// "-Infinity".
std::vector<TaggedValue> tagged_values(const Json& line);

// The meaning of a tag, shown beside its chart; "" if there is none.
std::string_view tag_description(std::string_view tag);

// BestSoFar adds the best value so far of each metric: TensorBoard's tables show only the last value of a tag.
class BestSoFar {
 public:
  // The values of the tags best/... after a step with these values; none if they contain no such metric.
  std::vector<TaggedValue> after(int64_t step, const std::vector<TaggedValue>& values);

 private:
  struct Best {
    double value = 0;
    int64_t step = 0;
  };
  std::map<std::string, Best> best_;
};

}  // namespace verbund
