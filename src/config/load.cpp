// SPDX-License-Identifier: Apache-2.0
#include "config/load.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/number.h"
#include "core/error.h"
#include "core/human.h"

namespace verbund {
namespace {

const char* describe(Value::Kind kind) {
  switch (kind) {
    case Value::Kind::kNull:
      return "empty";
    case Value::Kind::kScalar:
      return "a single value";
    case Value::Kind::kList:
      return "a list";
    case Value::Kind::kMap:
      return "a section";
  }
  return "";
}

template <typename Number>
std::string describe(const char* kind, Range<Number> range) {
  const bool low = range.lowest != std::numeric_limits<Number>::lowest();
  const bool high = range.highest != std::numeric_limits<Number>::max();
  if (low && high) return fmt::format("{} from {} to {}", kind, range.lowest, range.highest);
  if (low) return fmt::format("{} of at least {}", kind, range.lowest);
  if (high) return fmt::format("{} of at most {}", kind, range.highest);
  return kind;
}

std::string join(FieldVisitor::Names names) { return fmt::format("{}", fmt::join(names, " | ")); }

class KeyCollector final : public FieldVisitor {
 public:
  std::vector<std::string> keys;

  void field(const char* name, bool&, const char*) override { add(name); }
  void field(const char* name, int64_t&, Range<int64_t>, const char*) override { add(name); }
  void field(const char* name, double&, Range<double>, const char*) override { add(name); }
  void field(const char* name, std::string&, const char*) override { add(name); }
  void field(const char* name, StepWindow&, const char*) override { add(name); }
  void texts(const char* name, std::vector<std::string>&, const char*) override { add(name); }
  void overrides(const char* name, Value&, const char*) override { add(name); }
  void field(const char* name, CorpusWeights&, const char*) override { add(name); }
  void automatic(const char* name, int64_t&, Range<int64_t>, const char*) override { add(name); }

 protected:
  void choose(const char* name, size_t&, Names, const char*) override { add(name); }
  bool enter_section(const char* name, const char*) override {
    prefixes_.push_back(prefixes_.back() + name + ".");
    return true;
  }
  void leave_section() override { prefixes_.pop_back(); }
  bool enter_list(const char* name, size_t&, const char*) override {
    add(name);
    return false;
  }
  void enter_item(size_t) override {}
  void leave_list() override {}

 private:
  void add(const char* name) { keys.push_back(prefixes_.back() + name); }
  std::vector<std::string> prefixes_ = {""};
};

// Loader fills a struct from a Value.
class Loader final : public FieldVisitor {
 public:
  Loader(const Value& root, std::vector<std::string> known_keys, std::span<const Hint> hints)
      : known_keys_(std::move(known_keys)), hints_(hints) {
    push(root, "", "the file");
  }

  void field(const char* name, bool& target, const char*) override {
    const std::string allowed = "true or false";
    const Value* value = find_scalar(name, allowed);
    if (value == nullptr) return;
    if (value->scalar == "true" || value->scalar == "yes" || value->scalar == "on") {
      target = true;
    } else if (value->scalar == "false" || value->scalar == "no" || value->scalar == "off") {
      target = false;
    } else {
      refuse(*value, name, allowed);
    }
  }

  void field(const char* name, int64_t& target, Range<int64_t> range, const char*) override {
    const std::string allowed = describe("a whole number", range);
    const Value* value = find_scalar(name, allowed);
    if (value == nullptr) return;
    target = whole_number(*value, name, range, allowed);
  }

  void field(const char* name, double& target, Range<double> range, const char*) override {
    const std::string allowed = describe("a number", range);
    const Value* value = find_scalar(name, allowed);
    if (value == nullptr) return;
    double number = 0;
    // This form of the comparison refuses NaN as well.
    if (!parse_real(value->scalar, number) || !(number >= range.lowest && number <= range.highest)) {
      refuse(*value, name, allowed);
    }
    target = number;
  }

  void field(const char* name, std::string& target, const char*) override {
    const Value* value = find(name);
    if (value == nullptr) return;
    if (value->kind != Value::Kind::kScalar && value->kind != Value::Kind::kNull) refuse(*value, name, "text");
    target = value->scalar;
  }

  void field(const char* name, StepWindow& target, const char*) override {
    const Value* value = find(name);
    if (value == nullptr) return;
    const bool single = value->kind == Value::Kind::kScalar || value->kind == Value::Kind::kNull;
    const auto window = single ? parse_step_window(value->scalar) : std::nullopt;
    if (!window) {
      refuse(*value, name,
             fmt::format("FIRST-LAST, such as 1000-1020: steps counted from 1, at most {} of them; or \"\" for none",
                         StepWindow::kMax));
    }
    target = *window;
  }

  void texts(const char* name, std::vector<std::string>& target, const char*) override {
    const Value* value = find(name);
    if (value == nullptr) return;
    if (value->kind != Value::Kind::kList && value->kind != Value::Kind::kNull) refuse(*value, name, "a list of texts");
    target.clear();
    for (const Value& item : value->list) {
      if (item.kind != Value::Kind::kScalar) refuse(item, name, "a list of texts");
      target.push_back(item.scalar);
    }
  }

  void overrides(const char* name, Value& target, const char*) override {
    const Value* value = find(name);
    if (value == nullptr) return;
    if (value->kind != Value::Kind::kMap && value->kind != Value::Kind::kNull) refuse(*value, name, "a section");
    target = *value;
  }

  void field(const char* name, CorpusWeights& target, const char*) override {
    const Value* value = find(name);
    if (value == nullptr) return;
    if (value->kind != Value::Kind::kMap && value->kind != Value::Kind::kNull) {
      refuse(*value, name, "weights of corpora, such as {europarl: 0.7, multi30k: 0.3}");
    }
    target.clear();
    for (const auto& [key, item] : value->map) {
      double weight = 0;
      if (item.kind != Value::Kind::kScalar || !parse_real(item.scalar, weight) || !(weight >= 0 && weight <= 1e12)) {
        refuse(item, fmt::format("{}.{}", name, key).c_str(), "a number of at least 0");
      }
      target.push_back({key, weight});
    }
  }

  void automatic(const char* name, int64_t& target, Range<int64_t> range, const char*) override {
    const std::string allowed = "auto, or " + describe("a whole number", range);
    const Value* value = find_scalar(name, allowed);
    if (value == nullptr) return;
    target = value->scalar == "auto" ? kAutomatic : whole_number(*value, name, range, allowed);
  }

  void check_unknown() const {
    const Level& level = levels_.back();
    for (const auto& [key, value] : level.value->map) {
      if (std::find(level.known.begin(), level.known.end(), key) != level.known.end()) continue;
      const std::string meant = suggestion(key);
      fail_usage("{}: unknown key {}{}{}{}\nSee all keys: verbund config --explain", value.where, level.prefix, key,
                 meant.empty() ? "" : ": ", meant);
    }
  }

 protected:
  void choose(const char* name, size_t& index, Names names, const char*) override {
    const std::string allowed = "one of " + join(names);
    const Value* value = find_scalar(name, allowed);
    if (value == nullptr) return;
    for (size_t i = 0; i < names.size(); ++i) {
      if (value->scalar == names.begin()[i]) {
        index = i;
        return;
      }
    }
    refuse(*value, name, allowed);
  }

  bool enter_section(const char* name, const char*) override {
    const Value* value = find(name);
    if (value == nullptr) return false;
    const std::string key = levels_.back().prefix + name;
    push(*value, key + ".", key);
    return true;
  }

  void leave_section() override {
    check_unknown();
    levels_.pop_back();
  }

  bool enter_list(const char* name, size_t& size, const char*) override {
    const Value* value = find(name);
    if (value == nullptr) return false;
    if (value->kind != Value::Kind::kList && value->kind != Value::Kind::kNull) refuse(*value, name, "a list");
    size = value->list.size();
    levels_.push_back({value, levels_.back().prefix + name, {}});
    return true;
  }

  void enter_item(size_t index) override {
    const Level& list = levels_.back();
    const std::string name = fmt::format("{}[{}]", list.prefix, index);
    push(list.value->list[index], name + ".", name);
  }

  void leave_list() override { levels_.pop_back(); }

 private:
  struct Level {
    const Value* value;
    std::string prefix;              // "clean."
    std::vector<std::string> known;  // keys that fields asked for
  };

  const Value* find(const char* name) {
    Level& level = levels_.back();
    level.known.emplace_back(name);
    for (const auto& [key, value] : level.value->map) {
      if (key == name) return &value;
    }
    return nullptr;
  }

  const Value* find_scalar(const char* name, const std::string& allowed) {
    const Value* value = find(name);
    if (value != nullptr && value->kind != Value::Kind::kScalar) refuse(*value, name, allowed);
    return value;
  }

  int64_t whole_number(const Value& value, const char* name, Range<int64_t> range, const std::string& allowed) const {
    int64_t number = 0;
    switch (parse_whole(value.scalar, number)) {
      case WholeNumber::kRead:
        if (number >= range.lowest && number <= range.highest) return number;
        break;
      case WholeNumber::kNoNumber:
        break;
      case WholeNumber::kNotWhole:
        refuse(value, name, allowed, ", which is not a whole number");
      case WholeNumber::kTooLarge:
        refuse(value, name, allowed, ", which is too large");
    }
    refuse(value, name, allowed);
  }

  [[noreturn]] void refuse(const Value& value, const char* name, const std::string& allowed,
                           const char* why = "") const {
    const std::string is =
        value.kind == Value::Kind::kScalar ? fmt::format("\"{}\"", value.scalar) : describe(value.kind);
    fail_usage("{}: {}{} is {}{}, but must be {}", value.where, levels_.back().prefix, name, is, why, allowed);
  }

  void push(const Value& value, std::string prefix, const std::string& what) {
    if (value.kind != Value::Kind::kMap && value.kind != Value::Kind::kNull) {
      fail_usage("{}: {} is {}, but must be a section (key: value lines)", value.where, what, describe(value.kind));
    }
    levels_.push_back({&value, std::move(prefix), {}});
  }

  // A sentence, or "".
  std::string suggestion(const std::string& key) const {
    const Level& level = levels_.back();
    if (const Hint* hint = find_hint(hints_, key)) return describe(*hint);
    std::vector<std::string> guesses;  // the right key in the wrong section
    for (const std::string& known : known_keys_) {
      if (known.substr(known.rfind('.') + 1) == key) guesses.push_back(known);
    }
    if (guesses.empty()) {
      const std::string near = nearest(key, level.known);
      guesses.push_back(near.empty() ? nearest(level.prefix + key, known_keys_) : level.prefix + near);
    }
    return guesses.front().empty() ? "" : fmt::format("did you mean {}?", fmt::join(guesses, " or "));
  }

  std::vector<Level> levels_;
  std::vector<std::string> known_keys_;
  std::span<const Hint> hints_;
};

}  // namespace

std::vector<std::string> collect_keys(const FieldsOf& fields) {
  KeyCollector collector;
  fields(collector);
  return std::move(collector.keys);
}

void load(const Value& value, const FieldsOf& defaults, const FieldsOf& target, std::span<const Hint> hints) {
  Loader loader(value, collect_keys(defaults), hints);
  target(loader);
  loader.check_unknown();
}

}  // namespace verbund
