// Which tags of TensorBoard a line of metrics.jsonl becomes: those that users of OpenSeq2Seq know, and the rest in
// groups. docs/tensorboard.md has the table.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace verbund {

struct TaggedValue {
  std::string tag;
  double value = 0;
};

// What is no number is left out, but for what stands for one in JSON: null and "NaN", "Infinity", "-Infinity".
std::vector<TaggedValue> tagged_values(const nlohmann::ordered_json& line);

// What the tag means, shown beside its chart; "" if there is nothing to say.
std::string_view tag_description(std::string_view tag);

// The best of the evaluations so far, for TensorBoard's tables show the last value of a tag alone.
class BestSoFar {
 public:
  // The tags best/... after these values of a step; none if nothing in them is judged.
  std::vector<TaggedValue> after(int64_t step, const std::vector<TaggedValue>& values);

 private:
  struct Best {
    double value = 0;
    int64_t step = 0;
  };
  std::map<std::string, Best> best_;
};

}  // namespace verbund
