#include "config/load.h"

#include <charconv>

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
bool parse_number(const std::string& text, Number& number) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end;
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

}  // namespace

std::vector<std::string> collect_keys(const std::function<void(FieldVisitor&)>& fields) {
  KeyCollector collector;
  fields(collector);
  return std::move(collector.keys);
}

Loader::Loader(const Value& root, std::vector<std::string> known_keys) : known_keys_(std::move(known_keys)) {
  push(root, "", "the file");
}

void Loader::push(const Value& value, std::string prefix, const std::string& what) {
  if (value.kind != Value::Kind::kMap && value.kind != Value::Kind::kNull) {
    fail_usage("{}: {} is {}, but must be a section (key: value lines)", value.where, what, describe(value.kind));
  }
  levels_.push_back({&value, std::move(prefix), {}});
}

const Value* Loader::find(const char* name) {
  Level& level = levels_.back();
  level.known.emplace_back(name);
  for (const auto& [key, value] : level.value->map) {
    if (key == name) return &value;
  }
  return nullptr;
}

const Value* Loader::find_scalar(const char* name, const std::string& allowed) {
  const Value* value = find(name);
  if (value != nullptr && value->kind != Value::Kind::kScalar) refuse(*value, name, allowed);
  return value;
}

void Loader::refuse(const Value& value, const char* name, const std::string& allowed) const {
  const std::string is =
      value.kind == Value::Kind::kScalar ? fmt::format("\"{}\"", value.scalar) : describe(value.kind);
  fail_usage("{}: {}{} is {}, but must be {}", value.where, levels_.back().prefix, name, is, allowed);
}

void Loader::field(const char* name, bool& target, const char*) {
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

void Loader::field(const char* name, int64_t& target, Range<int64_t> range, const char*) {
  const std::string allowed = describe("a whole number", range);
  const Value* value = find_scalar(name, allowed);
  if (value == nullptr) return;
  int64_t number = 0;
  if (!parse_number(value->scalar, number) || number < range.lowest || number > range.highest) {
    refuse(*value, name, allowed);
  }
  target = number;
}

void Loader::automatic(const char* name, int64_t& target, Range<int64_t> range, const char*) {
  const std::string allowed = "auto, or " + describe("a whole number", range);
  const Value* value = find_scalar(name, allowed);
  if (value == nullptr) return;
  int64_t number = kAutomatic;
  if (value->scalar != "auto" &&
      (!parse_number(value->scalar, number) || number < range.lowest || number > range.highest)) {
    refuse(*value, name, allowed);
  }
  target = number;
}

void Loader::field(const char* name, double& target, Range<double> range, const char*) {
  const std::string allowed = describe("a number", range);
  const Value* value = find_scalar(name, allowed);
  if (value == nullptr) return;
  double number = 0;
  // Written so that NaN is refused as well.
  if (!parse_number(value->scalar, number) || !(number >= range.lowest && number <= range.highest)) {
    refuse(*value, name, allowed);
  }
  target = number;
}

void Loader::field(const char* name, std::string& target, const char*) {
  const Value* value = find(name);
  if (value == nullptr) return;
  if (value->kind != Value::Kind::kScalar && value->kind != Value::Kind::kNull) refuse(*value, name, "text");
  target = value->scalar;
}

void Loader::choose(const char* name, size_t& index, Names names, const char*) {
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

bool Loader::enter_section(const char* name, const char*) {
  const Value* value = find(name);
  if (value == nullptr) return false;
  const std::string key = levels_.back().prefix + name;
  push(*value, key + ".", key);
  return true;
}

void Loader::leave_section() {
  check_unknown();
  levels_.pop_back();
}

bool Loader::enter_list(const char* name, size_t& size, const char*) {
  const Value* value = find(name);
  if (value == nullptr) return false;
  if (value->kind != Value::Kind::kList && value->kind != Value::Kind::kNull) refuse(*value, name, "a list");
  size = value->list.size();
  levels_.push_back({value, levels_.back().prefix + name, {}});
  return true;
}

void Loader::enter_item(size_t index) {
  const Level& list = levels_.back();
  const std::string name = fmt::format("{}[{}]", list.prefix, index);
  push(list.value->list[index], name + ".", name);
}

void Loader::leave_list() { levels_.pop_back(); }

void Loader::check_unknown() const {
  const Level& level = levels_.back();
  for (const auto& [key, value] : level.value->map) {
    if (std::find(level.known.begin(), level.known.end(), key) != level.known.end()) continue;
    std::string guess = nearest(key, level.known);
    if (!guess.empty()) {
      guess = level.prefix + guess;
    } else {
      // Perhaps the right key in the wrong section.
      for (const std::string& known : known_keys_) {
        if (known.substr(known.rfind('.') + 1) == key) guess = known;
      }
      if (guess.empty()) guess = nearest(level.prefix + key, known_keys_);
    }
    fail_usage("{}: unknown key {}{}{}\nSee all keys: verbund config --explain", value.where, level.prefix, key,
               guess.empty() ? "" : fmt::format(": did you mean {}?", guess));
  }
}

}  // namespace verbund
