#include "migrate/python_cursor.h"

#include "core/error.h"

namespace verbund {
namespace {

constexpr size_t kMostWeight = 20000;

}  // namespace

bool PythonCursor::is_now(Words words) const {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return now().is(word); });
}

void PythonCursor::skip_balanced() {
  size_t depth = 0;
  do {
    if (!closing_bracket(now()).empty()) ++depth;
    if (closes_bracket(now())) --depth;
    ++next_;
  } while (depth > 0);
}

void PythonCursor::skip_line() {
  while (!ends_line()) ++next_;
  if (is_now(PythonToken::Kind::kLineEnd)) ++next_;
}

bool PythonCursor::accept(std::string_view symbol) {
  if (!now().is(symbol)) return false;
  ++next_;
  return true;
}

void PythonCursor::expect(std::string_view symbol) {
  if (!accept(symbol)) refuse(fmt::format("{} stands where {} is needed", shown(), symbol));
}

std::string PythonCursor::source_since(size_t start) const {
  const size_t begin = tokens_[start].begin;
  return source_.substr(begin, tokens_[next_ - 1].end - begin);
}

std::string PythonCursor::shown() const {
  if (ends_line()) return "the end of the line";
  return fmt::format("{:.40}", std::string_view(source_).substr(now().begin, now().end - now().begin));
}

void PythonCursor::refuse(const std::string& why) const { fail_usage("{}:{}: {}", name_, now().line, why); }

void PythonCursor::count(size_t weight) {
  weight_ += weight;
  if (weight_ > kMostWeight) refuse(fmt::format("the file has more than {} values or long texts", kMostWeight));
}

}  // namespace verbund
