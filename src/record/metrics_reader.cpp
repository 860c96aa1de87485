// SPDX-License-Identifier: Apache-2.0
#include "record/metrics_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "core/json.h"
#include "core/wall_clock.h"
#include "record/dev_set_keys.h"

namespace verbund {
namespace {

// A member of a flat JSON object. The views point into the line.
struct Member {
  enum class Kind { kNumber, kText, kNull, kOther };
  std::string_view key;  // as written, escapes included
  Kind kind = Kind::kOther;
  double number = 0;  // true is 1, false is 0; "NaN", "Infinity" and "-Infinity" are numbers
  std::string_view text;
};
using Members = std::vector<Member>;

// Scans flat JSON objects. nlohmann's SAX parser makes the report of 300,000 lines more than twice as slow.
class Scanner {
 public:
  explicit Scanner(std::string_view line) : rest_(line) {}

  bool take(char c) {
    skip_blanks();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool at_end() {
    skip_blanks();
    return rest_.empty();
  }

  bool string(std::string_view& text) {
    if (!take('"')) return false;
    for (size_t i = 0; i < rest_.size(); ++i) {
      if (rest_[i] == '\\') {
        ++i;
      } else if (rest_[i] == '"') {
        text = rest_.substr(0, i);
        rest_.remove_prefix(i + 1);
        return true;
      }
    }
    return false;
  }

  bool value(Member& member) {
    skip_blanks();
    if (rest_.empty()) return false;
    if (rest_.front() == '"') {
      if (!string(member.text)) return false;
      member.kind = special(member.text, member.number) ? Member::Kind::kNumber : Member::Kind::kText;
      return true;
    }
    if (rest_.front() == '{' || rest_.front() == '[') return nested();
    return word(member);
  }

 private:
  void skip_blanks() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t' || rest_.front() == '\r')) {
      rest_.remove_prefix(1);
    }
  }

  static bool special(std::string_view text, double& number) {
    if (text == "NaN")
      number = NAN;
    else if (text == "Infinity")
      number = std::numeric_limits<double>::infinity();
    else if (text == "-Infinity")
      number = -std::numeric_limits<double>::infinity();
    else
      return false;
    return true;
  }

  // A number, true, false or null; or NaN without quotes, as Python writes it.
  bool word(Member& member) {
    const std::string_view token = rest_.substr(0, rest_.find_first_of(",} \t\r"));
    rest_.remove_prefix(token.size());
    member.kind = Member::Kind::kNumber;
    if (token == "true" || token == "false") {
      member.number = token == "true" ? 1 : 0;
    } else if (token == "null") {
      member.kind = Member::Kind::kNull;
    } else if (!special(token, member.number)) {
      const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), member.number);
      if (error == std::errc::result_out_of_range) member.number = 0;
      return error != std::errc::invalid_argument && end == token.data() + token.size();
    }
    return true;
  }

  bool nested() {
    int depth = 0;
    while (!rest_.empty()) {
      std::string_view text;
      if (rest_.front() == '"') {
        if (!string(text)) return false;
        continue;
      }
      if (rest_.front() == '{' || rest_.front() == '[') ++depth;
      if (rest_.front() == '}' || rest_.front() == ']') --depth;
      rest_.remove_prefix(1);
      if (depth == 0) return true;
    }
    return false;
  }

  std::string_view rest_;
};

// Reads the members of the JSON object on a line; nested lists and objects are skipped. False if there is no object.
bool read_object(std::string_view line, Members& members) {
  members.clear();
  Scanner scanner(line);
  if (!scanner.take('{')) return false;
  if (scanner.take('}')) return scanner.at_end();
  do {
    Member& member = members.emplace_back();
    if (!scanner.string(member.key) || !scanner.take(':') || !scanner.value(member)) return false;
  } while (scanner.take(','));
  return scanner.take('}') && scanner.at_end();
}

bool is_of_evaluation(std::string_view key) {
  return key.starts_with("dev_") || key.starts_with(kExtraDevPrefix) || key.starts_with("probe_") ||
         key == "evaluation_seconds" || key == "averaged_weights" || key == "best";
}

bool is_of_training(std::string_view key) { return key.starts_with("train_") || key == "learning_rate"; }

bool is_of_both(std::string_view key) { return key == "step" || key == "time" || key == "start"; }

class TableBuilder {
 public:
  explicit TableBuilder(MetricTable& table) : table_(table) {}

  // Adds a row, or completes the last one if it is of the same step. Returns the number of rows that it undid.
  template <typename Belongs>
  size_t add(int64_t step, double time, const Members& members, Belongs belongs) {
    size_t undone = 0;
    while (!table_.step.empty() && table_.step.back() > step) {
      drop_last();
      ++undone;
    }
    if (table_.step.empty() || table_.step.back() != step) {
      table_.step.push_back(step);
      table_.time.push_back(time);
    }
    for (const Member& member : members) {
      if (member.key == "step" || !belongs(member.key)) continue;
      if (member.kind == Member::Kind::kNumber) set(member.key, member.number);
      // JSON has no other word for what is not finite.
      if (member.kind == Member::Kind::kNull) table_.not_finite[std::string(member.key)].push_back(table_.rows() - 1);
    }
    return undone;
  }

  void finish() {
    for (auto& [key, values] : table_.columns) values.resize(table_.rows(), kNotKnown);
  }

 private:
  void set(std::string_view key, double value) {
    std::vector<double>& column = table_.columns[std::string(key)];
    column.resize(table_.rows(), kNotKnown);
    column.back() = std::isfinite(value) ? value : kNotKnown;
    if (!std::isfinite(value)) table_.not_finite[std::string(key)].push_back(table_.rows() - 1);
  }

  void drop_last() {
    table_.step.pop_back();
    table_.time.pop_back();
    for (auto& [key, values] : table_.columns) {
      if (values.size() > table_.rows()) values.resize(table_.rows());
    }
    for (auto& [key, rows] : table_.not_finite) {
      while (!rows.empty() && rows.back() >= table_.rows()) rows.pop_back();
    }
  }

  MetricTable& table_;
};

double find_time(const Members& members) {
  for (const Member& member : members) {
    if (member.key != "time") continue;
    if (member.kind == Member::Kind::kNumber) return member.number;
    if (member.kind == Member::Kind::kText) return parse_utc_time(member.text);
  }
  return kNotKnown;
}

std::optional<int64_t> find_step(const Members& members) {
  const auto found = std::find_if(members.begin(), members.end(), [](const Member& m) { return m.key == "step"; });
  const bool valid =
      found != members.end() && found->kind == Member::Kind::kNumber && found->number >= 0 && found->number < 1e15;
  return valid ? std::optional(static_cast<int64_t>(found->number)) : std::nullopt;
}

}  // namespace

bool MetricTable::has(const std::string& key) const {
  const auto found = columns.find(key);
  return found != columns.end() && std::any_of(found->second.begin(), found->second.end(), is_known);
}

std::vector<double> MetricTable::column(const std::string& key) const {
  const auto found = columns.find(key);
  if (found == columns.end()) return std::vector<double>(rows(), kNotKnown);
  return found->second;
}

double MetricTable::last(const std::string& key) const {
  const auto found = columns.find(key);
  if (found == columns.end()) return kNotKnown;
  const auto value = std::find_if(found->second.rbegin(), found->second.rend(), is_known);
  return value == found->second.rend() ? kNotKnown : *value;
}

std::vector<double> MetricTable::steps() const { return {step.begin(), step.end()}; }

void MetricsReader::add(std::string_view text) {
  TableBuilder training_table(training), evaluation_table(evaluations);
  Members members;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const std::optional<int64_t> step = read_object(line, members) ? find_step(members) : std::nullopt;
    if (!step) {
      if (end != std::string_view::npos) ++damaged;
      continue;
    }
    const double time = find_time(members);
    if (time < latest_) clock_set_back = true;
    if (is_known(time)) latest_ = time;

    const auto any = [&](auto is) {
      return std::any_of(members.begin(), members.end(), [&](const Member& m) { return is(m.key); });
    };
    const bool judged = any(is_of_evaluation), trained = !judged || any(is_of_training);
    if (trained) {
      undone += training_table.add(*step, time, members, [&](std::string_view key) {
        return key != "time" && (!judged || !is_of_evaluation(key));
      });
    }
    if (judged) {
      undone += evaluation_table.add(*step, time, members, [&](std::string_view key) {
        return key != "time" && (!trained || is_of_evaluation(key) || is_of_both(key));
      });
    }
  }
  training_table.finish();
  evaluation_table.finish();
}

}  // namespace verbund
