// SPDX-License-Identifier: Apache-2.0
#include "migrate/python_config.h"

#include <algorithm>
#include <cstdlib>
#include <span>

#include "core/builtin_file.h"
#include "core/byte_order_mark.h"
#include "core/child_process.h"
#include "core/error.h"
#include "core/file.h"
#include "core/interrupt.h"
#include "core/json.h"
#include "core/utf8.h"

namespace verbund {

std::span<const BuiltinFile> builtin_python();  // made by cmake/builtin_files.cmake

using Kind = PythonValue::Kind;
NLOHMANN_JSON_SERIALIZE_ENUM(Kind, {{Kind::kNone, "none"},
                                    {Kind::kBool, "bool"},
                                    {Kind::kNumber, "number"},
                                    {Kind::kText, "text"},
                                    {Kind::kList, "list"},
                                    {Kind::kDict, "dict"},
                                    {Kind::kSymbol, "symbol"},
                                    {Kind::kOpaque, "opaque"}})

namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kLargestFile = 1 << 20;            // bytes
constexpr uint64_t kMaxMemory = uint64_t{1} << 30;  // bytes of Python's
constexpr std::chrono::seconds kPatience{20};

void check_size(uint64_t bytes, const std::string& name) {
  if (bytes <= kLargestFile) return;
  fail_usage("{} has {} bytes, but a configuration has at most {}", name, bytes, kLargestFile);
}

// [kind, line, content], as read_config.py writes it.
PythonValue value_of(const Json& json) {
  PythonValue value;
  value.kind = json[0];
  value.line = json[1];
  const Json& content = json[2];
  if (content.is_boolean()) value.truth = content;
  if (content.is_number()) value.number = content;
  if (content.is_string()) value.text = content;
  if (content.is_array()) std::transform(content.begin(), content.end(), std::back_inserter(value.items), value_of);
  if (content.is_object()) {
    for (const auto& [key, member] : content.items()) value.members.push_back({key, value_of(member)});
  }
  return value;
}

// The output of read_config.py for this text.
std::string run_python(const std::string& source, const std::string& name) {
  const char* path = std::getenv("PATH");
  ChildOptions options;
  options.input = source;
  options.environment = {fmt::format("PATH={}", path == nullptr ? "" : path)};
  options.memory = kMaxMemory;
  options.processor_time = kPatience;
  ChildProcess python({"python3", "-I", "-S", "-W", "ignore", "-c", std::string(builtin_python()[0].text)}, options);
  std::string output;
  for (const auto end = Clock::now() + kPatience; !python.at_end() && Clock::now() < end;) {
    check_interrupt();
    output += python.read(std::chrono::milliseconds(100));
  }
  if (!python.at_end()) {
    fail_usage("{} takes Python more than {} s to parse: it is not a configuration", name, kPatience.count());
  }
  const int code = python.wait();
  if (code == ChildProcess::kCannotRun) {
    fail("cannot read {}: it is parsed by python3, which is not installed (Debian: apt install python3)", name);
  }
  if (code > 128) {
    fail_usage("{} is nested too deeply or too large: Python was ended by signal {} while it parsed it", name,
               code - 128);
  }
  if (code != 0) fail("python3 cannot read {}: {}", name, output);
  return output;
}

}  // namespace

const PythonValue* PythonValue::find(const std::string& key) const {
  const auto found = std::find_if(members.begin(), members.end(), [&](const Member& m) { return m.key == key; });
  return found == members.end() ? nullptr : &found->value;
}

PythonValue& PythonValue::at_key(const std::string& key) {
  if (const PythonValue* found = find(key)) return const_cast<PythonValue&>(*found);
  members.push_back({key, {}});
  return members.back().value;
}

PythonFile parse_python(const std::string& source, const std::string& name) {
  check_size(source.size(), name);
  if (!is_utf8(source)) fail_usage("{} is not UTF-8, which Python files are", name);
  if (const size_t nul = source.find('\0'); nul != std::string::npos) {
    const auto line = 1 + std::count(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(nul), '\n');
    fail_usage("{}:{}: a NUL character is not Python", name, line);
  }
  const std::string output = run_python(std::string(without_byte_order_mark(source)), name);
  const Json result = try_parse_json(output);
  if (result.is_discarded()) fail("python3 cannot read {}: {}", name, output);
  if (result.contains("refused")) {
    const std::string line = result.contains("line") ? fmt::format(":{}", result["line"].get<size_t>()) : "";
    fail_usage("{}{}: {}", name, line, result["refused"].get<std::string>());
  }
  PythonFile file;
  file.name = name;
  file.variables = value_of({"dict", 1, result["variables"]});
  for (const Json& statement : result["unread"]) file.unread.push_back({statement[0], statement[1]});
  return file;
}

PythonFile load_python(const std::filesystem::path& path) {
  if (std::filesystem::is_regular_file(path)) check_size(std::filesystem::file_size(path), path.string());
  return parse_python(read_file(path), path.string());
}

}  // namespace verbund
