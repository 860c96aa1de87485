// SPDX-License-Identifier: Apache-2.0
#include "config/show.h"

#include <fmt/format.h>

#include "core/yaml_text.h"

namespace verbund {
namespace {

// Quotes text that YAML would read as something else.
std::string yaml_text(const std::string& text) {
  const std::string quoted = yaml_quoted(text);
  const bool plain = !text.empty() && quoted.size() == text.size() + 2 &&
                     text.find_first_of(":#{}[],&*!|>'%@`") == std::string::npos && text.front() != ' ' &&
                     text.back() != ' ' && text.front() != '-' && text.front() != '?' && text != "true" &&
                     text != "false" && text != "null" && text != "Null" && text != "NULL" && text != "~";
  return plain ? text : quoted;
}

template <typename Number>
std::string with_range(const char* about, Range<Number> range) {
  const bool low = range.lowest != std::numeric_limits<Number>::lowest();
  const bool high = range.highest != std::numeric_limits<Number>::max();
  if (low && high) return fmt::format("{} [{} .. {}]", about, range.lowest, range.highest);
  if (low) return fmt::format("{} [{} or more]", about, range.lowest);
  return about;
}

class Shower final : public FieldVisitor {
 public:
  explicit Shower(bool explain) : explain_(explain) {}

  const std::string& text() const { return text_; }

  void field(const char* name, bool& value, const char* about) override { line(name, value ? "true" : "false", about); }
  void field(const char* name, int64_t& value, Range<int64_t> range, const char* about) override {
    line(name, std::to_string(value), with_range(about, range));
  }
  void field(const char* name, double& value, Range<double> range, const char* about) override {
    line(name, fmt::format("{}", value), with_range(about, range));
  }
  void field(const char* name, std::string& value, const char* about) override { line(name, yaml_text(value), about); }
  void field(const char* name, StepWindow& value, const char* about) override {
    line(name, yaml_text(to_text(value)), about);
  }
  void texts(const char* name, std::vector<std::string>& values, const char* about) override {
    std::string list;
    for (const std::string& value : values) list += (list.empty() ? "" : ", ") + yaml_text(value);
    line(name, "[" + list + "]", about);
  }
  void overrides(const char* name, Value& section, const char* about) override {
    line(name, section.map.empty() ? "{}" : "", about);
    indent_ += 2;
    for (const auto& [key, value] : section.map) line(key.c_str(), yaml_text(value.scalar), "");
    indent_ -= 2;
  }
  void field(const char* name, CorpusWeights& value, const char* about) override {
    CorpusWeights quoted = value;
    for (CorpusWeight& item : quoted) item.name = yaml_text(item.name);
    line(name, "{" + weights_text(quoted, ": ") + "}", about);
  }
  void automatic(const char* name, int64_t& value, Range<int64_t> range, const char* about) override {
    line(name, value == kAutomatic ? "auto" : std::to_string(value), with_range(about, range));
  }

 protected:
  void choose(const char* name, size_t& index, Names names, const char* about) override {
    line(name, names.begin()[index], fmt::format("{} [{}]", about, fmt::join(names, " | ")));
  }
  bool enter_section(const char* name, const char* about) override {
    if (explain_) text_ += fmt::format("\n{:{}}# {}\n", "", indent_, about);
    line(name, "", "");
    if (explain_) text_ = text_.substr(0, text_.rfind(':') + 1) + "\n";
    indent_ += 2;
    return true;
  }
  void leave_section() override { indent_ -= 2; }
  bool enter_list(const char* name, size_t& size, const char* about) override {
    line(name, size == 0 ? "[]" : "", about);
    indent_ += 2;
    return true;
  }
  void enter_item(size_t) override {
    indent_ += 2;
    first_of_item_ = true;
  }
  void leave_list() override { indent_ -= 2; }

 private:
  void line(const char* name, const std::string& value, const std::string& about) {
    std::string start(indent_, ' ');
    if (first_of_item_) start[indent_ - 2] = '-';
    first_of_item_ = false;
    const std::string text = fmt::format("{}{}:{}{}", start, name, value.empty() ? "" : " ", value);
    text_ += explain_ ? fmt::format("{:<34} # {}\n", text, about) : text + "\n";
  }

  bool explain_;
  std::string text_;
  size_t indent_ = 0;
  bool first_of_item_ = false;  // the next line starts with "- "
};

}  // namespace

std::string show_fields(const std::function<void(FieldVisitor&)>& fields, bool explain) {
  Shower shower(explain);
  fields(shower);
  return shower.text();
}

}  // namespace verbund
