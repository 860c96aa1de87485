// SPDX-License-Identifier: Apache-2.0
#include "import/config_dump.h"

#include <fmt/format.h>

#include "core/error.h"
#include "import/openseq2seq_lines.h"
#include "migrate/openseq2seq.h"

namespace verbund {
namespace {

constexpr size_t kLargestDump = 200'000;  // bytes

// <class 'open_seq2seq.losses.A'> -> A, <function f at 0x7f> -> f, <dtype: 'float32'> -> float32: the names that a
// Python file would contain.
std::string without_objects(std::string_view text) {
  std::string result;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == '\\' && i + 1 < text.size())
        result += text[i++];
      else if (c == quote)
        quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '<') {
      const size_t end = text.find('>', i);
      if (end == std::string_view::npos) return std::string(text);
      std::string_view shown = text.substr(i + 1, end - i - 1);
      if (const size_t name = shown.find('\''); name != std::string_view::npos) {
        shown = shown.substr(name + 1, shown.find('\'', name + 1) - name - 1);
      } else if (shown.starts_with("function ")) {
        shown = shown.substr(9, shown.find(' ', 9) - 9);
      } else {
        shown = "None";  // an object without a name
      }
      result += shown;
      i = end;
      continue;
    }
    result += text[i];
  }
  return result;
}

}  // namespace

bool ConfigDump::add(std::string_view line) {
  if (is_whole() || text_.size() > kLargestDump) return false;
  if (line.empty() || line.front() != (begun_ ? ' ' : '{')) return false;
  begun_ = true;
  text_ += std::string(line) + "\n";
  char quote = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0) {
      if (c == '\\') ++i;
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '{' || c == '[' || c == '(') {
      ++depth_;
    } else if (c == '}' || c == ']' || c == ')') {
      --depth_;
    }
  }
  return true;
}

std::optional<int64_t> ConfigDump::integer(const std::string& key) const {
  for (const char* before : {"\n ", "{"}) {
    const auto value = text_after(text_, fmt::format("{}'{}':", before, key));
    if (value) return leading_integer(*value);
  }
  return std::nullopt;
}

std::string map_config_dump(const ConfigDump& training, const ConfigDump& evaluation, int64_t workers,
                            std::string& why) {
  std::string source = "base_params = " + without_objects(training.text());
  if (evaluation.is_whole()) source += "\neval_params = " + without_objects(evaluation.text());
  try {
    OpenSeq2SeqSurroundings surroundings;
    surroundings.workers = workers;
    surroundings.assumes = false;
    const std::string yaml = convert_openseq2seq(parse_python(source, "the log's configuration"), surroundings);
    const std::string head = "# From the log of an OpenSeq2Seq run. The comment after each value shows the original.";
    return head + yaml.substr(yaml.find('\n'));
  } catch (const Interrupted&) {
    throw;
  } catch (const Error& error) {
    why = error.what();
    return "";
  }
}

}  // namespace verbund
