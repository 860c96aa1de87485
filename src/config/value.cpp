// The only user of yaml-cpp.
#include "config/value.h"

#include <yaml-cpp/yaml.h>

#include "core/error.h"
#include "core/file.h"

namespace verbund {
namespace {

Value convert(const YAML::Node& node, const std::string& name, bool with_lines) {
  Value value;
  value.where = with_lines ? fmt::format("{}:{}", name, node.Mark().line + 1) : name;
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
      for (const YAML::Node& item : node) value.list.push_back(convert(item, name, with_lines));
      break;
    case YAML::NodeType::Map:
      value.kind = Value::Kind::kMap;
      for (const auto& entry : node) {
        const std::string key = entry.first.Scalar();
        Value item = convert(entry.second, name, with_lines);
        if (with_lines) item.where = fmt::format("{}:{}", name, entry.first.Mark().line + 1);
        for (const auto& [earlier, _] : value.map) {
          if (earlier == key) fail_usage("{}: the key {} stands here a second time", item.where, key);
        }
        value.map.push_back({key, std::move(item)});
      }
      break;
  }
  return value;
}

Value parse(const std::string& text, const std::string& name, bool with_lines) {
  try {
    return convert(YAML::Load(text), name, with_lines);
  } catch (const YAML::Exception& error) {
    const std::string where = with_lines ? fmt::format("{}:{}", name, error.mark.line + 1) : name;
    fail_usage("{}: not YAML: {}", where, error.msg);
  }
}

}  // namespace

Value parse_yaml(const std::string& text, const std::string& name) { return parse(text, name, true); }

Value load_yaml(const std::filesystem::path& path) { return parse_yaml(read_file(path), path.string()); }

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
