#include "migrate/python_expressions.h"

#include <algorithm>
#include <filesystem>

#include "core/error.h"

namespace verbund {
namespace {

using Kind = PythonValue::Kind;
using TokenKind = PythonToken::Kind;

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
      reader.in_.refuse(fmt::format("an expression is nested more than {} deep", kDeepestExpression));
    }
  }
  ~Depth() { --reader.depth_; }
  PythonExpressions& reader;
};

PythonValue PythonExpressions::opaque_since(size_t start) const {
  PythonValue value = of_kind(Kind::kOpaque, in_.source_since(start));
  value.line = in_.line_of(start);
  return value;
}

PythonValue PythonExpressions::skip_value(size_t start) {
  while (!in_.ends_value()) in_.skip_balanced();
  return opaque_since(start);
}

PythonValue PythonExpressions::read() {
  PythonValue first = read_value();
  if (!in_.now().is(",")) return first;
  PythonValue list = of_kind(Kind::kList);
  list.line = first.line;
  list.items.push_back(std::move(first));
  while (in_.accept(",") && !in_.ends_line()) list.items.push_back(read_value());
  return list;
}

// One element of a list, one value of a dictionary.
PythonValue PythonExpressions::read_value() {
  const size_t start = in_.position();
  in_.count(1);
  PythonValue value = read_sum();
  if (in_.ends_value()) return value;
  // What follows is a condition, a comparison, a loop: it would have to be executed.
  if (!in_.is_now({"if", "else", "for", "and", "or", "not", "in", "is", "<", ">",  "==",
                   "!=", "<=",   ">=",  "|",   "&",  "^",   "<<", ">>", "@", ":=", "async"})) {
    in_.refuse(fmt::format("{} is not expected here: is a comma missing before it?", in_.shown()));
  }
  return skip_value(start);
}

PythonValue PythonExpressions::combined(const std::string& symbol, PythonValue left, const PythonValue& right,
                                        size_t start) {
  PythonValue result = combine(symbol, std::move(left), right);
  if (result.kind == Kind::kOpaque) return opaque_since(start);
  in_.count(result.weight());
  return result;
}

PythonValue PythonExpressions::read_sum() {
  const size_t start = in_.position();
  PythonValue left = read_product();
  while (in_.is_now({"+", "-"})) {
    const std::string symbol = in_.now().text;
    in_.skip();
    const PythonValue right = read_product();
    left = combined(symbol, std::move(left), right, start);
  }
  return left;
}

PythonValue PythonExpressions::read_product() {
  const size_t start = in_.position();
  PythonValue left = read_signed();
  while (in_.is_now({"*", "/", "//", "%"})) {
    const std::string symbol = in_.now().text;
    in_.skip();
    const PythonValue right = read_signed();
    left = combined(symbol, std::move(left), right, start);
  }
  return left;
}

PythonValue PythonExpressions::read_signed() {
  const size_t start = in_.position();
  if (!in_.is_now({"-", "+", "~"})) return read_power();
  const std::string symbol = in_.now().text;
  in_.skip();
  const Depth depth(*this);
  PythonValue value = read_signed();
  if (value.kind != Kind::kNumber || symbol == "~") return opaque_since(start);
  if (symbol == "-") value.number = -value.number;
  return value;
}

PythonValue PythonExpressions::read_power() {
  const size_t start = in_.position();
  PythonValue base = read_atom();
  if (!in_.accept("**")) return base;
  const Depth depth(*this);
  const PythonValue exponent = read_signed();
  return combined("**", std::move(base), exponent, start);
}

PythonValue PythonExpressions::read_atom() {
  const size_t start = in_.position();
  const size_t line = in_.now().line;
  PythonValue value;
  if (in_.now().kind == TokenKind::kNumber) {
    value = PythonValue::of_number(in_.now().number, in_.now().whole);
    in_.skip();
  } else if (in_.now().kind == TokenKind::kText || in_.now().kind == TokenKind::kComputedText) {
    value = read_texts();
  } else if (in_.now().is("{")) {
    value = read_dict();
  } else if (in_.is_now({"[", "("})) {
    value = read_list();
  } else if (in_.is_now({"*", "**", "...", "not", "await", "yield"})) {
    in_.skip();
    return skip_value(start);
  } else if (in_.now().is("lambda")) {
    while (!in_.ends_line() && !in_.now().is(":") && !closes_bracket(in_.now())) in_.skip_balanced();
    in_.expect(":");
    return skip_value(start);
  } else if (in_.now().kind == TokenKind::kName &&
             !in_.is_now({"if", "else", "elif", "for", "while", "def", "class", "import", "from", "in", "is", "and",
                          "or", "return", "with", "try", "except", "as", "pass"})) {
    value = read_name();
  } else {
    in_.refuse(fmt::format("{} stands where a value is needed", in_.shown()));
  }
  value.line = line;
  return read_trailers(std::move(value), start);
}

// "a" "b" is one text.
PythonValue PythonExpressions::read_texts() {
  const size_t start = in_.position();
  PythonValue value = of_kind(Kind::kText);
  bool computed = false;
  for (; in_.now().kind == TokenKind::kText || in_.now().kind == TokenKind::kComputedText; in_.skip()) {
    computed = computed || in_.now().kind == TokenKind::kComputedText;
    value.text += in_.now().text;
  }
  return computed ? opaque_since(start) : value;
}

PythonValue PythonExpressions::read_name() {
  const std::string name = in_.now().text;
  in_.skip();
  if (name == "None") return {};
  if (name == "True" || name == "False") {
    PythonValue value = of_kind(Kind::kBool);
    value.truth = name == "True";
    return value;
  }
  if (const PythonValue* known = variables_.find(name)) {
    in_.count(known->weight());
    return *known;
  }
  return of_kind(Kind::kSymbol, name);
}

PythonValue PythonExpressions::read_list() {
  const bool round = in_.now().is("(");
  const std::string_view end = closing_bracket(in_.now());
  in_.skip();
  PythonValue list = of_kind(Kind::kList);
  bool comma = false;
  while (!in_.accept(end)) {
    list.items.push_back(read_value());
    comma = in_.accept(",");
    if (!comma && !in_.now().is(end)) in_.refuse(fmt::format("{} stands where , or {} is needed", in_.shown(), end));
  }
  if (!round || comma || list.items.size() != 1) return list;
  PythonValue inner = std::move(list.items.front());  // (a) is a
  return inner;
}

PythonValue PythonExpressions::read_dict() {
  in_.expect("{");
  PythonValue dict = of_kind(Kind::kDict);
  while (!in_.accept("}")) {
    const size_t start = in_.position();
    PythonValue key = read_value();
    const std::string name = key.kind == Kind::kText ? key.text : opaque_since(start).text;
    if (key.kind == Kind::kOpaque && !in_.now().is(":")) {  // **others
      dict.at_key(name) = std::move(key);
    } else {
      in_.expect(":");
      PythonValue value = read_value();
      value.line = in_.line_of(start);
      dict.at_key(name) = std::move(value);
    }
    if (!in_.accept(",") && !in_.now().is("}"))
      in_.refuse(fmt::format("{} stands where , or }} is needed", in_.shown()));
  }
  return dict;
}

// .name, (arguments) and [index] after a value.
PythonValue PythonExpressions::read_trailers(PythonValue value, size_t start) {
  while (in_.is_now({".", "(", "["})) {
    if (in_.now().is("(")) {
      value = read_call(value, start);
    } else if (in_.accept(".")) {
      if (in_.now().kind != TokenKind::kName) in_.refuse(fmt::format("{} stands where a name is needed", in_.shown()));
      const std::string name = in_.now().text;
      in_.skip();
      value = value.kind == Kind::kSymbol ? of_kind(Kind::kSymbol, value.text + "." + name) : opaque_since(start);
    } else {
      const bool by_text = in_.after(1).kind == TokenKind::kText && in_.after(2).is("]");
      const PythonValue* member = by_text ? value.find(in_.after(1).text) : nullptr;
      in_.skip_balanced();
      PythonValue found = member != nullptr ? *member : opaque_since(start);
      value = std::move(found);
    }
    value.line = in_.line_of(start);
  }
  return value;
}

// Only what puts values together is read: dict(a=1) and os.path.join("a", "b").
PythonValue PythonExpressions::read_call(const PythonValue& callee, size_t start) {
  const size_t open = in_.position();
  if (callee.kind == Kind::kSymbol && callee.text == "dict") {
    PythonValue dict = of_kind(Kind::kDict);
    if (read_keywords(dict)) return dict;
  } else if (callee.kind == Kind::kSymbol && callee.text == "os.path.join") {
    in_.skip();
    std::filesystem::path path;
    while (in_.now().kind == TokenKind::kText || in_.now().kind == TokenKind::kName) {
      const PythonValue part = read_value();
      if (part.kind != Kind::kText) break;
      path /= part.text;
      if (!in_.accept(",") && !in_.now().is(")")) break;
    }
    if (in_.accept(")")) {
      in_.count(1 + path.string().size() / 100);
      return of_kind(Kind::kText, path.string());
    }
  }
  in_.go_to(open);
  in_.skip_balanced();
  return opaque_since(start);
}

// (a=1, b=2)
bool PythonExpressions::read_keywords(PythonValue& dict) {
  in_.skip();
  while (in_.now().kind == TokenKind::kName && in_.after(1).is("=")) {
    const std::string key = in_.now().text;
    in_.skip(2);
    dict.at_key(key) = read_value();
    if (!in_.accept(",")) break;
  }
  return in_.accept(")");
}

}  // namespace verbund
