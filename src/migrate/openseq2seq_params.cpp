#include "migrate/openseq2seq_params.h"

#include <fmt/format.h>

#include "migrate/converted_config.h"

namespace verbund {
namespace {

using Kind = PythonValue::Kind;

void merge(PythonValue& into, const PythonValue& from) {
  into.kind = Kind::kDict;
  for (const auto& [key, value] : from.members) {
    PythonValue& place = into.at_key(key);
    if (place.kind == Kind::kDict && value.kind == Kind::kDict) {
      merge(place, value);
    } else {
      place = value;
    }
  }
}

const PythonValue* find_path(const PythonValue& root, const std::string& path) {
  const size_t dot = path.find('.');
  const PythonValue* found = root.find(path.substr(0, dot));
  return found == nullptr || dot == std::string::npos ? found : find_path(*found, path.substr(dot + 1));
}

void for_values(const PythonValue& value, const std::string& path, const OpenSeq2SeqParams::Use& use) {
  if (value.kind != Kind::kDict) return use(path, value);
  for (const auto& [key, member] : value.members) for_values(member, path.empty() ? key : path + "." + key, use);
}

}  // namespace

OpenSeq2SeqParams::OpenSeq2SeqParams(const PythonFile& file, const std::string& mode) {
  root_.kind = Kind::kDict;
  for (const std::string& name : {std::string("base_params"), mode}) {
    if (const PythonValue* params = file.variables.find(name)) merge(root_, *params);
  }
}

const PythonValue* OpenSeq2SeqParams::find(const std::string& path) const { return find_path(root_, path); }

const PythonValue* OpenSeq2SeqParams::take(const std::string& path) {
  const PythonValue* found = find(path);
  if (found == nullptr || found->kind == Kind::kNone) return nullptr;
  used_.insert(path);
  return found;
}

std::optional<double> OpenSeq2SeqParams::number(const std::string& path) {
  const PythonValue* found = find(path);
  if (found == nullptr || found->kind != Kind::kNumber) return std::nullopt;
  return take(path)->number;
}

std::optional<std::string> OpenSeq2SeqParams::text(const std::string& path) {
  const PythonValue* found = find(path);
  if (found == nullptr || found->kind != Kind::kText) return std::nullopt;
  return take(path)->text;
}

std::optional<std::string> OpenSeq2SeqParams::name(const std::string& path) {
  const PythonValue* found = find(path);
  if (found == nullptr || (found->kind != Kind::kText && found->kind != Kind::kSymbol)) return std::nullopt;
  const std::string& text = take(path)->text;
  return text.substr(text.rfind('.') + 1);
}

bool OpenSeq2SeqParams::is_none(const std::string& path) {
  const PythonValue* found = find(path);
  if (found == nullptr || found->kind != Kind::kNone) return false;
  used_.insert(path);
  return true;
}

void OpenSeq2SeqParams::for_unused(const Use& use) const {
  for_values(root_, "", [&](const std::string& path, const PythonValue& value) {
    const bool is_set = value.kind != Kind::kNone && !(value.kind == Kind::kText && value.text.empty());
    if (is_set && !used_.contains(path)) use(path, value);
  });
}

std::string shown(const PythonValue& value) {
  switch (value.kind) {
    case Kind::kNone:
      return "None";
    case Kind::kBool:
      return value.truth ? "True" : "False";
    case Kind::kNumber:
      return fmt::format("{}", value.number);
    case Kind::kText:
      return fmt::format("\"{}\"", comment_text(value.text));
    case Kind::kSymbol:
    case Kind::kOpaque:
      return comment_text(value.text);
    case Kind::kList:
      return fmt::format("[{} values]", value.items.size());
    case Kind::kDict:
      return fmt::format("{{{} values}}", value.members.size());
  }
  return "";
}

}  // namespace verbund
