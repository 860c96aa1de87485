// SPDX-License-Identifier: Apache-2.0
// ConvertedConfig is a configuration that was made from another system's: its values under our keys, each with the name
// it had there, and what has no counterpart as comments with a reason.
#pragma once

#include <string>
#include <vector>

namespace verbund {

// One printable line for a comment: control characters escaped, long text cut.
std::string comment_text(const std::string& text, size_t longest = 60);

// A number as YAML has it: 512, 1e-09.
std::string number_text(double number);

class ConvertedConfig {
 public:
  // `key` is "section.key". A value that Verbund would not accept becomes a remark that says so.
  void set(const std::string& key, const std::string& value, const std::string& comment);

  void remark(const std::string& about, const std::string& reason);

  // YAML, in the order of `verbund config --explain`.
  std::string yaml() const;

 private:
  struct Line {
    std::string key, value, comment;
  };
  struct Remark {
    std::string about, reason;
  };
  std::vector<Line> lines_;
  std::vector<Remark> remarks_;
};

}  // namespace verbund
