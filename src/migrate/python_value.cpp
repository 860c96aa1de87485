#include "migrate/python_value.h"

#include <algorithm>
#include <cmath>

namespace verbund {
namespace {

constexpr double kExact = 9007199254740992;  // 2^53: a double holds every integer up to here
constexpr size_t kTextOfWeightOne = 100;

double compute(const std::string& symbol, double a, double b) {
  if (symbol == "+") return a + b;
  if (symbol == "-") return a - b;
  if (symbol == "*") return a * b;
  if (symbol == "/") return a / b;
  if (symbol == "//") return std::floor(a / b);
  if (symbol == "%") return a - b * std::floor(a / b);
  return std::pow(a, b);
}

template <typename Members>
auto find_member(Members& members, const std::string& key) {
  return std::find_if(members.begin(), members.end(), [&](const auto& member) { return member.first == key; });
}

}  // namespace

PythonValue PythonValue::of_number(double number, bool whole) {
  PythonValue value;
  value.kind = Kind::kNumber;
  value.number = number;
  value.whole = whole && number == std::trunc(number) && std::abs(number) <= kExact;
  return value;
}

const PythonValue* PythonValue::find(const std::string& key) const {
  const auto found = find_member(members, key);
  return found == members.end() ? nullptr : &found->second;
}

PythonValue& PythonValue::at_key(const std::string& key) {
  const auto found = find_member(members, key);
  return found == members.end() ? members.emplace_back(key, PythonValue{}).second : found->second;
}

size_t PythonValue::weight() const {
  size_t sum = 1 + text.size() / kTextOfWeightOne;
  for (const PythonValue& item : items) sum += item.weight();
  for (const auto& [key, value] : members) sum += value.weight() + key.size() / kTextOfWeightOne;
  return sum;
}

PythonValue combine(const std::string& symbol, PythonValue left, const PythonValue& right) {
  using Kind = PythonValue::Kind;
  if (left.kind == right.kind && left.kind == Kind::kNumber) {
    const double result = compute(symbol, left.number, right.number);
    if (std::isfinite(result)) return PythonValue::of_number(result, left.whole && right.whole && symbol != "/");
  } else if (left.kind == right.kind && left.kind == Kind::kText && symbol == "+") {
    left.text += right.text;
    return left;
  } else if (left.kind == right.kind && left.kind == Kind::kList && symbol == "+") {
    left.items.insert(left.items.end(), right.items.begin(), right.items.end());
    return left;
  }
  PythonValue opaque;
  opaque.kind = Kind::kOpaque;
  return opaque;
}

}  // namespace verbund
