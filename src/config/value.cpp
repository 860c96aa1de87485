// The only user of yaml-cpp.
#include "config/value.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "core/error.h"

namespace verbund {
namespace {

// Far more than any configuration or manifest has. Aliases let a few lines of YAML stand for gigabytes.
constexpr size_t kMostDepth = 32;
constexpr size_t kMostNodes = 20000;
constexpr size_t kMostBytes = 10000000;

// Turns nodes of yaml-cpp, in which an alias is the very node it stands for, into Values.
class Converter {
 public:
  // Without lines, for text that is a line itself.
  Converter(const std::string& name, bool with_lines) : name_(name), with_lines_(with_lines) {}

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
        for (const auto& entry : node) add_member(value, entry.first, entry.second);
        open_.pop_back();
        break;
    }
    return value;
  }

 private:
  void add_member(Value& map, const YAML::Node& key_node, const YAML::Node& node) {
    const std::string place = where(key_node.Mark());
    if (!key_node.IsScalar()) fail_usage("{}: a key must be a word", place);
    const std::string key = key_node.Scalar();
    for (const auto& [earlier, _] : map.map) {
      if (earlier == key) fail_usage("{}: the key {} stands here a second time", place, key);
    }
    Value item = convert(node);
    item.where = place;
    map.map.push_back({key, std::move(item)});
  }

  void enter(const YAML::Node& node, const std::string& place) {
    const auto is_node = [&](const YAML::Node& outer) { return outer.is(node); };
    if (std::any_of(open_.begin(), open_.end(), is_node)) {
      fail_usage("{}: this refers to itself by an alias (*): write out what is meant", place);
    }
    if (open_.size() == kMostDepth) fail_usage("{}: nested more than {} levels deep", place, kMostDepth);
    open_.push_back(node);
  }

  void count(const std::string& place, size_t bytes) {
    nodes_ += 1;
    bytes_ += bytes;
    if (nodes_ > kMostNodes || bytes_ > kMostBytes) {
      fail_usage("{}: with its aliases (*) written out, this has more than {} values or {} bytes", place, kMostNodes,
                 kMostBytes);
    }
  }

  const std::string& name_;
  bool with_lines_;
  std::vector<YAML::Node> open_;  // the lists and sections around the present node
  size_t nodes_ = 0, bytes_ = 0;
};

Value parse(const std::string& text, const std::string& name, bool with_lines) {
  Converter converter(name, with_lines);
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(text);
    for (size_t i = 1; i < documents.size(); ++i) {
      if (documents[i].IsNull()) continue;  // it says nothing
      fail_usage("{}: a second document begins here (after ---), but only one is read: join them, or remove it",
                 converter.where(documents[i].Mark()));
    }
    return converter.convert(documents.empty() ? YAML::Node() : documents.front());
  } catch (const YAML::Exception& error) {
    fail_usage("{}: not YAML: {}", converter.where(error.mark), error.msg);
  }
}

}  // namespace

Value parse_yaml(const std::string& text, const std::string& name) { return parse(text, name, true); }

Value parse_override(const std::string& assignment) {
  const size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0) {
    fail_usage("--set {}: expected section.key=value", assignment);
  }
  const std::string where = "--set " + assignment;
  Value value = parse(assignment.substr(equals + 1), where, false);
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
