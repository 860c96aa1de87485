#include "record/metrics_reader.h"

#include <algorithm>

#include "core/wall_clock.h"

namespace verbund {
namespace {

using Members = std::vector<FlatMember>;

bool is_of_evaluation(std::string_view key) {
  return key.starts_with("dev_") || key.starts_with("probe_") || key == "evaluation_seconds" ||
         key == "averaged_weights" || key == "best";
}

bool is_of_training(std::string_view key) { return key.starts_with("train_") || key == "learning_rate"; }

bool is_of_both(std::string_view key) { return key == "step" || key == "time" || key == "start"; }

class TableBuilder {
 public:
  explicit TableBuilder(MetricTable& table) : table_(table) {}

  // Adds a row, or completes the last one if it is of the same step. Returns how many rows it undid.
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
      if (member.kind != FlatMember::Kind::kNumber || member.key == "step" || !belongs(member.key)) continue;
      set(member.key, member.number);
    }
    return undone;
  }

  void finish() {
    for (auto& [key, values] : table_.columns) values.resize(table_.rows(), kNotKnown);
  }

 private:
  void set(std::string_view key, double value) {
    auto found = table_.columns.find(std::string(key));
    if (found == table_.columns.end()) found = table_.columns.emplace(key, std::vector<double>()).first;
    found->second.resize(table_.rows(), kNotKnown);
    found->second.back() = std::isfinite(value) ? value : kNotKnown;
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

const FlatMember* find_step(const Members& members) {
  const auto found = std::find_if(members.begin(), members.end(), [](const FlatMember& m) { return m.key == "step"; });
  const bool whole =
      found != members.end() && found->kind == FlatMember::Kind::kNumber && found->number >= 0 && found->number < 1e15;
  return whole ? &*found : nullptr;
}

}  // namespace

MetricsReader read_metric_lines(std::string_view text) {
  MetricsReader lines;
  TableBuilder training(lines.training), evaluations(lines.evaluations);
  Members members;
  double latest = kNotKnown;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const FlatMember* found = read_flat_object(line, members) ? find_step(members) : nullptr;
    if (!found) {
      if (end != std::string_view::npos) ++lines.damaged;
      continue;
    }
    const auto step = static_cast<int64_t>(found->number);
    const double time = find_time(members);
    if (time < latest) lines.clock_set_back = true;
    if (is_known(time)) latest = time;

    const auto any = [&](auto is) {
      return std::any_of(members.begin(), members.end(), [&](const FlatMember& m) { return is(m.key); });
    };
    const bool judged = any(is_of_evaluation), trained = !judged || any(is_of_training);
    if (trained) {
      lines.undone += training.add(step, time, members, [&](std::string_view key) {
        return key != "time" && (!judged || !is_of_evaluation(key));
      });
    }
    if (judged) {
      lines.undone += evaluations.add(step, time, members, [&](std::string_view key) {
        return key != "time" && (!trained || is_of_evaluation(key) || is_of_both(key));
      });
    }
  }
  training.finish();
  evaluations.finish();
  return lines;
}

}  // namespace verbund
