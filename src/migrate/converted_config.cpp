// SPDX-License-Identifier: Apache-2.0
#include "migrate/converted_config.h"

#include <algorithm>
#include <cmath>

#include "config/config.h"
#include "config/load.h"
#include "core/error.h"
#include "core/utf8.h"

namespace verbund {
namespace {

// Why Verbund does not accept this value; nothing if it does.
std::string complaint(const std::string& key, const std::string& value) {
  const std::string assignment = key + "=" + value;
  try {
    Config probe;
    override_config(probe, {assignment});
    return "";
  } catch (const UsageError& error) {
    const std::string message = error.what(), where = "--set " + assignment + ": ";
    const size_t begin = message.rfind(where, 0) == 0 ? where.size() : 0;
    return message.substr(begin, message.find('\n') - begin);
  }
}

}  // namespace

std::string comment_text(const std::string& text, size_t longest) {
  std::string shown;
  size_t count = 0;
  for (size_t i = 0; i < text.size(); ++count) {
    if (count == longest) return shown + " ...";
    const char32_t c = next_code_point(text, i);
    if (c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029 || c == 0xFEFF) {
      shown += c == '\n' ? "\\n" : fmt::format("\\x{:02x}", static_cast<uint32_t>(c));
    } else {
      append_code_point(shown, c);
    }
  }
  return shown;
}

std::string number_text(double number) {
  const bool whole = number == std::trunc(number) && std::abs(number) < 1e15;
  return whole ? fmt::format("{}", static_cast<int64_t>(number)) : fmt::format("{}", number);
}

void ConvertedConfig::set(const std::string& key, const std::string& value, const std::string& comment) {
  const std::string why_not = complaint(key, value);
  if (!why_not.empty()) return remark(comment, why_not);
  lines_.push_back({key, value, comment});
}

void ConvertedConfig::remark(const std::string& about, const std::string& reason) {
  remarks_.push_back({about, reason});
}

std::string ConvertedConfig::yaml() const {
  Config config;
  const std::vector<std::string> order = collect_keys([&](FieldVisitor& visit) { config.fields(visit); });
  std::vector<Line> lines = lines_;
  const auto place = [&](const Line& line) { return std::find(order.begin(), order.end(), line.key); };
  std::stable_sort(lines.begin(), lines.end(), [&](const Line& a, const Line& b) { return place(a) < place(b); });

  std::string text, section;
  for (const Line& line : lines) {
    const size_t dot = line.key.find('.');
    const std::string name = dot == std::string::npos ? "" : line.key.substr(0, dot);
    if (name != section) text += fmt::format("\n{}:\n", name);
    section = name;
    const std::string entry = fmt::format("{}{}: {}", name.empty() ? "" : "  ",
                                          dot == std::string::npos ? line.key : line.key.substr(dot + 1), line.value);
    text += fmt::format("{:<34} # {}\n", entry, line.comment);
  }
  if (remarks_.empty()) return text;
  text += "\n# No counterpart, or different in Verbund:\n";
  for (const Remark& remark : remarks_) text += fmt::format("#   {}\n#     {}\n", remark.about, remark.reason);
  return text;
}

}  // namespace verbund
