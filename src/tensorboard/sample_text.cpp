#include "tensorboard/sample_text.h"

#include <nlohmann/json.hpp>

namespace verbund {
namespace {

constexpr size_t kMostBytes = 4000;  // of a cell

// By way of JSON, whose writer replaces what is no UTF-8.
std::string valid_utf8(std::string_view text) {
  const std::string quoted = nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return nlohmann::json::parse(quoted).get<std::string>();
}

bool is_control(char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }

bool is_punctuation(char c) {
  return c > ' ' && c < '\x7f' && !(c >= '0' && c <= '9') && !(c >= 'A' && c <= 'Z') && !(c >= 'a' && c <= 'z');
}

}  // namespace

std::string escape_for_markdown(std::string_view text) {
  constexpr std::string_view kAlways = "&<>`*_{}[]\\|~^=#\"";
  const bool cut = text.size() > kMostBytes;
  std::string result;
  bool first_word = true;  // where lists, headings, quotes and rules begin
  for (char c : valid_utf8(text.substr(0, kMostBytes))) {
    if (is_control(c)) c = ' ';
    if (c == ' ') {
      if (result.empty()) continue;  // four blanks would make it code
      first_word = false;
    }
    if (is_punctuation(c) && (first_word || kAlways.find(c) != std::string_view::npos)) {
      result += fmt::format("&#{};", static_cast<int>(c));
    } else {
      result += c;
    }
  }
  return cut ? result + " ..." : result;
}

EventValue sample_table(const std::vector<TranslationSample>& samples) {
  EventValue value = {.tag = kSamplesTag, .columns = 3, .plugin = kTextPlugin};
  value.description = "The first sentences of the dev set, as the model translated them.";
  value.text = {"**source**", "**reference**", "**translation**"};
  for (const TranslationSample& sample : samples) {
    for (const std::string* cell : {&sample.source, &sample.reference, &sample.translation}) {
      value.text.push_back(escape_for_markdown(*cell));
    }
  }
  return value;
}

}  // namespace verbund
