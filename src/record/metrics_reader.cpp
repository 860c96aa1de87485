// SPDX-License-Identifier: Apache-2.0
#include "record/metrics_reader.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/wall_clock.h"
#include "record/dev_set_keys.h"
#include "record/flat_json.h"

namespace verbund {
namespace {

using Members = std::vector<FlatMember>;

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
    for (const FlatMember& member : members) {
      if (member.key == "step" || !belongs(member.key)) continue;
      if (member.kind == FlatMember::Kind::kNumber) set(member.key, member.number);
      // JSON has no other word for what is not finite.
      if (member.kind == FlatMember::Kind::kNull)
        table_.not_finite[std::string(member.key)].push_back(table_.rows() - 1);
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
  for (const FlatMember& member : members) {
    if (member.key != "time") continue;
    if (member.kind == FlatMember::Kind::kNumber) return member.number;
    if (member.kind == FlatMember::Kind::kText) return parse_utc_time(member.text);
  }
  return kNotKnown;
}

std::optional<int64_t> find_step(const Members& members) {
  const auto found = std::find_if(members.begin(), members.end(), [](const FlatMember& m) { return m.key == "step"; });
  const bool valid =
      found != members.end() && found->kind == FlatMember::Kind::kNumber && found->number >= 0 && found->number < 1e15;
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
    const std::optional<int64_t> step = read_flat_object(line, members) ? find_step(members) : std::nullopt;
    if (!step) {
      if (end != std::string_view::npos) ++damaged;
      continue;
    }
    const double time = find_time(members);
    if (time < latest_) clock_set_back = true;
    if (is_known(time)) latest_ = time;

    const auto any = [&](auto is) {
      return std::any_of(members.begin(), members.end(), [&](const FlatMember& m) { return is(m.key); });
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
