// SPDX-License-Identifier: Apache-2.0
// ConfigDump reads the configuration in an OpenSeq2Seq log: a printed Python dictionary, with objects as Python shows
// them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace verbund {

// Collects the lines of one dictionary.
class ConfigDump {
 public:
  // False: the line does not belong to it.
  bool add(std::string_view line);

  bool is_whole() const { return begun_ && depth_ == 0; }
  const std::string& text() const { return text_; }

  // The value of a top-level key such as 'eval_steps': 4001; nothing if it has none.
  std::optional<int64_t> integer(const std::string& key) const;

 private:
  std::string text_;
  int depth_ = 0;  // of brackets
  bool begun_ = false;
};

// Converts it to a configuration of ours, with a comment after each value. If that is impossible: "", and the reason in
// `why`.
std::string map_config_dump(const ConfigDump& training, const ConfigDump& evaluation, int64_t workers,
                            std::string& why);

}  // namespace verbund
