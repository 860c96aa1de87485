#include "migrate/python_config.h"

#include "core/error.h"
#include "core/file.h"
#include "core/utf8.h"
#include "migrate/python_expressions.h"

namespace verbund {
namespace {

using Kind = PythonValue::Kind;
using TokenKind = PythonToken::Kind;

constexpr size_t kLargestFile = 1 << 20;  // bytes

class StatementReader {
 public:
  StatementReader(const std::string& source, const std::string& name) : source_(source), in_(source, name) {
    file_.name = name;
    file_.variables.kind = Kind::kDict;
  }

  PythonFile read() {
    while (in_.now().kind != TokenKind::kEnd) read_statement();
    return std::move(file_);
  }

 private:
  using Path = std::vector<std::string>;  // name, key, key, ...

  void read_statement() {
    if (in_.now().kind == TokenKind::kLineEnd) return in_.skip();
    if (in_.now().indent > 0) in_.refuse("this line is indented, and no block is open");
    if (in_.is_now({"import", "from", "pass"})) return in_.skip_line();
    const bool alone = in_.after(1).kind == TokenKind::kLineEnd;
    if (in_.now().kind == TokenKind::kText && alone) return in_.skip_line();  // a text about the file
    if (in_.is_now(
            {"if", "elif", "else", "for", "while", "def", "class", "with", "try", "except", "finally", "async"})) {
      return skip_block();
    }
    if (!read_assignment()) leave_unread();
  }

  // NAME = value, NAME["key"] = value, and several of them: a = b = value.
  bool read_assignment() {
    std::vector<Path> targets;
    for (Path path; read_target(path); path.clear()) targets.push_back(path);
    if (targets.empty()) return false;
    const PythonValue value = PythonExpressions(in_, file_.variables).read();
    if (!in_.ends_line()) in_.refuse(fmt::format("{} is not expected here", in_.shown()));
    for (const Path& path : targets) {
      in_.count(value.weight());
      PythonValue* place = &file_.variables;
      for (const std::string& key : path) {
        if (place->kind != Kind::kDict) *place = PythonValue{};
        place->kind = Kind::kDict;
        place = &place->at_key(key);
      }
      *place = value;
    }
    in_.skip_line();
    return true;
  }

  bool read_target(Path& path) {
    const size_t start = in_.position();
    if (in_.now().kind == TokenKind::kName) {
      path.push_back(in_.now().text);
      in_.skip();
      while (in_.now().is("[") && in_.after(1).kind == TokenKind::kText && in_.after(2).is("]")) {
        path.push_back(in_.after(1).text);
        in_.skip(3);
      }
      if (in_.accept("=")) return true;
    }
    in_.go_to(start);
    return false;
  }

  void leave_unread() {
    const PythonToken first = in_.now();
    const bool takes_words =
        first.kind == TokenKind::kOperator || in_.is_now({"del", "return", "raise", "global", "nonlocal", "assert",
                                                          "yield", "await", "not", "lambda", "print", "exec"});
    in_.skip();
    const bool goes_on =
        in_.ends_line() || in_.now().kind == TokenKind::kOperator || in_.is_now({"if", "in", "is", "and", "or", "not"});
    if (!takes_words && !goes_on) in_.refuse(fmt::format("{} is not expected after {:.40}", in_.shown(), first.text));
    in_.skip_line();
    note_unread(first);
  }

  void skip_block() {
    const PythonToken first = in_.now();
    in_.skip_line();
    const bool opens_block = in_.before(2).is(":");
    if (opens_block && in_.now().indent <= first.indent) in_.refuse("an indented block is missing before this line");
    while (in_.now().kind != TokenKind::kEnd && in_.now().indent > first.indent) in_.skip_line();
    note_unread(first);
  }

  void note_unread(const PythonToken& first) {
    in_.count(1);
    file_.unread.push_back({first.line, source_.substr(first.begin, in_.before(1).begin - first.begin)});
  }

  const std::string& source_;
  PythonCursor in_;
  PythonFile file_;
};

}  // namespace

PythonFile parse_python(const std::string& source, const std::string& name) {
  if (source.size() > kLargestFile) {
    fail_usage("{} has {} bytes: a configuration has at most {}", name, source.size(), kLargestFile);
  }
  if (!is_utf8(source)) fail_usage("{} is not UTF-8, which Python files are", name);
  return StatementReader(source, name).read();
}

PythonFile load_python(const std::filesystem::path& path) { return parse_python(read_file(path), path.string()); }

}  // namespace verbund
