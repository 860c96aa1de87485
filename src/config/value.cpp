// SPDX-License-Identifier: Apache-2.0
// Value parsing with yaml-cpp, which no other file uses.
#include "config/value.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "core/error.h"

namespace verbund {
namespace {

constexpr size_t kMaxDepth = 32;

// Converts nodes of yaml-cpp, in which an alias is the same node as its anchor, into Values.
class Converter {
 public:
  // `with_lines` is false for text that is a line itself.
  Converter(const std::string& name, const YamlLimits& limits, bool with_lines)
      : name_(name), limits_(limits), with_lines_(with_lines) {}

  std::string where(const YAML::Mark& mark) const {
    return with_lines_ ? fmt::format("{}:{}", name_, mark.line + 1) : name_;
  }

  Value convert(const YAML::Node& node) {
    Value value;
    value.where = where(node.Mark());
    count(value.where, node.IsScalar() ? node.Scalar().size() : 0);
    switch (node.Type()) {
      case YAML::NodeType::Undefined:
      case YAML::NodeType::Null:
        break;
      case YAML::NodeType::Scalar:
        value.kind = Value::Kind::kScalar;
        value.scalar = node.Scalar();
        break;
      case YAML::NodeType::Sequence:
        value.kind = Value::Kind::kList;
        enter(node, value.where);
        for (const YAML::Node& item : node) value.list.push_back(convert(item));
        open_.pop_back();
        break;
      case YAML::NodeType::Map:
        value.kind = Value::Kind::kMap;
        enter(node, value.where);
        add_members(value, node);
        open_.pop_back();
        break;
    }
    return value;
  }

 private:
  void add_members(Value& map, const YAML::Node& node) {
    std::unordered_set<std::string_view> keys;  // yaml-cpp owns the words
    for (const auto& entry : node) {
      const std::string place = where(entry.first.Mark());
      if (!entry.first.IsScalar()) fail_usage("{}: a key must be a word", place);
      const std::string& key = entry.first.Scalar();
      if (!keys.insert(key).second) fail_usage("{}: the key {} is given a second time", place, key);
      Value item = convert(entry.second);
      item.where = place;
      map.map.push_back({key, std::move(item)});
    }
  }

  void enter(const YAML::Node& node, const std::string& place) {
    const auto is_node = [&](const YAML::Node& outer) { return outer.is(node); };
    if (std::any_of(open_.begin(), open_.end(), is_node)) {
      fail_usage("{}: this alias (*) refers to itself: write the value out", place);
    }
    if (open_.size() == kMaxDepth) fail_usage("{}: nested more than {} levels deep", place, kMaxDepth);
    open_.push_back(node);
  }

  void count(const std::string& place, size_t bytes) {
    values_ += 1;
    bytes_ += bytes;
    if (values_ > limits_.values || bytes_ > limits_.bytes) {
      fail_usage("{}: with its aliases (*) expanded, this has more than {} values or {} bytes", place, limits_.values,
                 limits_.bytes);
    }
  }

  const std::string& name_;
  const YamlLimits& limits_;
  bool with_lines_;
  std::vector<YAML::Node> open_;  // the lists and sections around the current node
  size_t values_ = 0, bytes_ = 0;
};

Value parse(const std::string& text, const std::string& name, const YamlLimits& limits, bool with_lines) {
  Converter converter(name, limits, with_lines);
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(text);
    for (size_t i = 1; i < documents.size(); ++i) {
      if (documents[i].IsNull()) continue;  // an empty one
      fail_usage("{}: a second document begins here (after ---), but only one is read: merge or remove it",
                 converter.where(documents[i].Mark()));
    }
    return converter.convert(documents.empty() ? YAML::Node() : documents.front());
  } catch (const YAML::Exception& error) {
    fail_usage("{}: not YAML: {}", converter.where(error.mark), error.msg);
  }
}

}  // namespace

Value parse_yaml(const std::string& text, const std::string& name, const YamlLimits& limits) {
  return parse(text, name, limits, true);
}

Value parse_override(const std::string& assignment) {
  const size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0) {
    fail_usage("--set {}: expected section.key=value", assignment);
  }
  const std::string where = "--set " + assignment;
  Value value = parse(assignment.substr(equals + 1), where, {}, false);
  std::string key = assignment.substr(0, equals);
  while (!key.empty()) {  // wrap from the innermost key outwards
    const size_t dot = key.rfind('.');
    Value parent;
    parent.kind = Value::Kind::kMap;
    parent.where = where;
    parent.map.push_back({dot == std::string::npos ? key : key.substr(dot + 1), std::move(value)});
    value = std::move(parent);
    key = dot == std::string::npos ? "" : key.substr(0, dot);
  }
  return value;
}

}  // namespace verbund
