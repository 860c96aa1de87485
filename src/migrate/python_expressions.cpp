#include "migrate/python_expressions.h"

#include <algorithm>
#include <filesystem>

#include "core/error.h"

namespace verbund {
namespace {

using Kind = PythonValue::Kind;
using TokenKind = PythonToken::Kind;

constexpr size_t kMostWeight = 20000;       // of all that is read, names counted as what they stand for
constexpr size_t kDeepestExpression = 100;  // signs and powers within each other; brackets are counted by the tokens

PythonValue of_kind(Kind kind, std::string text = "") {
  PythonValue value;
  value.kind = kind;
  value.text = std::move(text);
  return value;
}

}  // namespace

struct PythonExpressions::Depth {
  explicit Depth(PythonExpressions& owner) : reader(owner) {
    if (++reader.depth_ > kDeepestExpression) {
      reader.refuse(fmt::format("an expression is nested more than {} deep", kDeepestExpression));
    }
  }
  ~Depth() { --reader.depth_; }
  PythonExpressions& reader;
};

bool PythonExpressions::is_now(Words words) const {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return now().is(word); });
}

bool PythonExpressions::accept(std::string_view symbol) {
  if (!now().is(symbol)) return false;
  ++next_;
  return true;
}

void PythonExpressions::refuse(const std::string& why) const { fail_usage("{}:{}: {}", name_, now().line, why); }

std::string PythonExpressions::shown() const {
  if (ends_line()) return "the end of the line";
  return fmt::format("{:.40}", std::string_view(source_).substr(now().begin, now().end - now().begin));
}

void PythonExpressions::count(size_t weight) {
  weight_ += weight;
  if (weight_ > kMostWeight) refuse(fmt::format("the file has more than {} values or long texts", kMostWeight));
}

bool PythonExpressions::ends_value() const { return ends_line() || closes_bracket(now()) || is_now({",", ":", "="}); }

void PythonExpressions::expect(std::string_view symbol) {
  if (!accept(symbol)) refuse(fmt::format("{} stands where {} is needed", shown(), symbol));
}

// Past this token, and if it opens a bracket, past the one that closes it.
void PythonExpressions::skip_balanced() {
  size_t depth = 0;
  do {
    if (!closing_bracket(now()).empty()) ++depth;
    if (closes_bracket(now())) --depth;
    ++next_;
  } while (depth > 0);
}

PythonValue PythonExpressions::opaque_since(size_t start) const {
  const size_t begin = tokens_[start].begin;
  PythonValue value = of_kind(Kind::kOpaque, source_.substr(begin, tokens_[next_ - 1].end - begin));
  value.line = tokens_[start].line;
  return value;
}

PythonValue PythonExpressions::skip_value(size_t start) {
  while (!ends_value()) skip_balanced();
  return opaque_since(start);
}

PythonValue PythonExpressions::read(const PythonValue& variables) {
  variables_ = &variables;
  PythonValue first = read_value();
  if (!now().is(",")) return first;
  PythonValue list = of_kind(Kind::kList);
  list.line = first.line;
  list.items.push_back(std::move(first));
  while (accept(",") && !ends_line()) list.items.push_back(read_value());
  return list;
}

// One element of a list, one value of a dictionary.
PythonValue PythonExpressions::read_value() {
  const size_t start = next_;
  count(1);
  PythonValue value = read_sum();
  if (ends_value()) return value;
  // What follows is a condition, a comparison, a loop: it would have to be executed.
  if (!is_now({"if", "else", "for", "and", "or", "not", "in", "is", "<", ">",  "==",
               "!=", "<=",   ">=",  "|",   "&",  "^",   "<<", ">>", "@", ":=", "async"})) {
    refuse(fmt::format("{} is not expected here: is a comma missing before it?", shown()));
  }
  return skip_value(start);
}

PythonValue PythonExpressions::combined(const std::string& symbol, PythonValue left, const PythonValue& right,
                                        size_t start) {
  PythonValue result = combine(symbol, std::move(left), right);
  if (result.kind == Kind::kOpaque) return opaque_since(start);
  count(result.weight());
  return result;
}

PythonValue PythonExpressions::read_sum() {
  const size_t start = next_;
  PythonValue left = read_product();
  while (is_now({"+", "-"})) {
    const std::string symbol = now().text;
    ++next_;
    const PythonValue right = read_product();
    left = combined(symbol, std::move(left), right, start);
  }
  return left;
}

PythonValue PythonExpressions::read_product() {
  const size_t start = next_;
  PythonValue left = read_signed();
  while (is_now({"*", "/", "//", "%"})) {
    const std::string symbol = now().text;
    ++next_;
    const PythonValue right = read_signed();
    left = combined(symbol, std::move(left), right, start);
  }
  return left;
}

PythonValue PythonExpressions::read_signed() {
  const size_t start = next_;
  if (!is_now({"-", "+", "~"})) return read_power();
  const std::string symbol = now().text;
  ++next_;
  const Depth depth(*this);
  PythonValue value = read_signed();
  if (value.kind != Kind::kNumber || symbol == "~") return opaque_since(start);
  if (symbol == "-") value.number = -value.number;
  return value;
}

PythonValue PythonExpressions::read_power() {
  const size_t start = next_;
  PythonValue base = read_atom();
  if (!accept("**")) return base;
  const Depth depth(*this);
  const PythonValue exponent = read_signed();
  return combined("**", std::move(base), exponent, start);
}

PythonValue PythonExpressions::read_atom() {
  const size_t start = next_;
  const size_t line = now().line;
  PythonValue value;
  if (now().kind == TokenKind::kNumber) {
    value = PythonValue::of_number(now().number, now().whole);
    ++next_;
  } else if (now().kind == TokenKind::kText || now().kind == TokenKind::kComputedText) {
    value = read_texts();
  } else if (now().is("{")) {
    value = read_dict();
  } else if (is_now({"[", "("})) {
    value = read_list();
  } else if (is_now({"*", "**", "...", "not", "await", "yield"})) {
    ++next_;
    return skip_value(start);
  } else if (now().is("lambda")) {
    while (!ends_line() && !now().is(":")) skip_balanced();
    expect(":");
    return skip_value(start);
  } else if (now().kind == TokenKind::kName &&
             !is_now({"if", "else", "elif", "for", "while", "def", "class", "import", "from", "in", "is", "and", "or",
                      "return", "with", "try", "except", "as", "pass"})) {
    value = read_name();
  } else {
    refuse(fmt::format("{} stands where a value is needed", shown()));
  }
  value.line = line;
  return read_trailers(std::move(value), start);
}

// "a" "b" is one text.
PythonValue PythonExpressions::read_texts() {
  const size_t start = next_;
  PythonValue value = of_kind(Kind::kText);
  bool computed = false;
  for (; now().kind == TokenKind::kText || now().kind == TokenKind::kComputedText; ++next_) {
    computed = computed || now().kind == TokenKind::kComputedText;
    value.text += now().text;
  }
  return computed ? opaque_since(start) : value;
}

PythonValue PythonExpressions::read_name() {
  const std::string name = now().text;
  ++next_;
  if (name == "None") return {};
  if (name == "True" || name == "False") {
    PythonValue value = of_kind(Kind::kBool);
    value.truth = name == "True";
    return value;
  }
  if (const PythonValue* known = variables_->find(name)) {
    count(known->weight());
    return *known;
  }
  return of_kind(Kind::kSymbol, name);
}

PythonValue PythonExpressions::read_list() {
  const bool round = now().is("(");
  const std::string_view end = closing_bracket(now());
  ++next_;
  PythonValue list = of_kind(Kind::kList);
  bool comma = false;
  while (!accept(end)) {
    list.items.push_back(read_value());
    comma = accept(",");
    if (!comma && !now().is(end)) refuse(fmt::format("{} stands where , or {} is needed", shown(), end));
  }
  if (!round || comma || list.items.size() != 1) return list;
  PythonValue inner = std::move(list.items.front());  // (a) is a
  return inner;
}

PythonValue PythonExpressions::read_dict() {
  expect("{");
  PythonValue dict = of_kind(Kind::kDict);
  while (!accept("}")) {
    const size_t start = next_;
    PythonValue key = read_value();
    const std::string name = key.kind == Kind::kText ? key.text : opaque_since(start).text;
    if (key.kind == Kind::kOpaque && !now().is(":")) {  // **others
      dict.at_key(name) = std::move(key);
    } else {
      expect(":");
      PythonValue value = read_value();
      value.line = tokens_[start].line;
      dict.at_key(name) = std::move(value);
    }
    if (!accept(",") && !now().is("}")) refuse(fmt::format("{} stands where , or }} is needed", shown()));
  }
  return dict;
}

// .name, (arguments) and [index] after a value.
PythonValue PythonExpressions::read_trailers(PythonValue value, size_t start) {
  while (is_now({".", "(", "["})) {
    if (now().is("(")) {
      value = read_call(value, start);
    } else if (accept(".")) {
      if (now().kind != TokenKind::kName) refuse(fmt::format("{} stands where a name is needed", shown()));
      const std::string name = now().text;
      ++next_;
      value = value.kind == Kind::kSymbol ? of_kind(Kind::kSymbol, value.text + "." + name) : opaque_since(start);
    } else {
      const bool by_text = after(1).kind == TokenKind::kText && after(2).is("]");
      const PythonValue* member = by_text ? value.find(after(1).text) : nullptr;
      skip_balanced();
      PythonValue found = member != nullptr ? *member : opaque_since(start);
      value = std::move(found);
    }
    value.line = tokens_[start].line;
  }
  return value;
}

// Only what puts values together is read: dict(a=1) and os.path.join("a", "b").
PythonValue PythonExpressions::read_call(const PythonValue& callee, size_t start) {
  const size_t open = next_;
  if (callee.kind == Kind::kSymbol && callee.text == "dict") {
    PythonValue dict = of_kind(Kind::kDict);
    if (read_keywords(dict)) return dict;
  } else if (callee.kind == Kind::kSymbol && callee.text == "os.path.join") {
    ++next_;
    std::filesystem::path path;
    while (now().kind == TokenKind::kText || now().kind == TokenKind::kName) {
      const PythonValue part = read_value();
      if (part.kind != Kind::kText) break;
      path /= part.text;
      if (!accept(",") && !now().is(")")) break;
    }
    if (accept(")")) {
      count(1 + path.string().size() / 100);
      return of_kind(Kind::kText, path.string());
    }
  }
  next_ = open;
  skip_balanced();
  return opaque_since(start);
}

// (a=1, b=2)
bool PythonExpressions::read_keywords(PythonValue& dict) {
  ++next_;
  while (now().kind == TokenKind::kName && after(1).is("=")) {
    const std::string key = now().text;
    next_ += 2;
    dict.at_key(key) = read_value();
    if (!accept(",")) break;
  }
  return accept(")");
}

}  // namespace verbund
