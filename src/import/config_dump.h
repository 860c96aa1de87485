// The configuration that OpenSeq2Seq prints into its log: a Python dictionary, with objects as Python shows them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace verbund {

// Gathers the lines of one dictionary.
class ConfigDump {
 public:
  // False: the line does not belong to it any more.
  bool add(std::string_view line);

  bool is_whole() const { return begun_ && depth_ == 0; }
  const std::string& text() const { return text_; }

  // 'eval_steps': 4001 of its first level; nothing if there is none.
  std::optional<int64_t> integer(const std::string& key) const;

 private:
  std::string text_;
  int depth_ = 0;  // of brackets
  bool begun_ = false;
};

// As a configuration of ours, with a comment after each value; "" if it is none that can be mapped, and `why` says why.
std::string map_config_dump(const ConfigDump& training, const ConfigDump& evaluation, int64_t workers,
                            std::string& why);

}  // namespace verbund
