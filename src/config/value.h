// SPDX-License-Identifier: Apache-2.0
// Value is a parsed YAML file. Each part knows where it came from, so that errors can name a line.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace verbund {

struct Value {
  enum class Kind { kNull, kScalar, kList, kMap };
  struct Member;

  Kind kind = Kind::kNull;
  std::string scalar;
  std::vector<Value> list;
  std::vector<Member> map;  // in the order of the file
  std::string where;        // "configs/base.yaml:12" or "--set clean.max_words=9"
};

struct Value::Member {
  std::string key;
  Value value;
};

// Far above what any configuration or manifest needs. Aliases can expand a few lines of YAML to gigabytes.
struct YamlLimits {
  size_t values = 20000;
  size_t bytes = 10'000'000;
};

// `name` is the origin of the text, for error messages.
Value parse_yaml(const std::string& text, const std::string& name, const YamlLimits& limits = {});

// "clean.max_words=80" -> {clean: {max_words: 80}}; the right side may be any YAML.
Value parse_override(const std::string& assignment);

}  // namespace verbund
