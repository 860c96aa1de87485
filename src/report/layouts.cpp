// SPDX-License-Identifier: Apache-2.0
#include "report/layouts.h"

#include <algorithm>
#include <utility>

#include "page/number_format.h"

namespace verbund {
namespace {

constexpr size_t kMaxNamed = 3;  // hosts, ranges or layouts in a sentence

bool same_layout(const std::vector<HostFacts>& one, const std::vector<HostFacts>& other) {
  const auto same_host = [](const HostFacts& a, const HostFacts& b) {
    const bool same_threads = a.threads_per_worker == b.threads_per_worker ||
                              (!is_known(a.threads_per_worker) && !is_known(b.threads_per_worker));
    return a.workers.size() == b.workers.size() && same_threads && a.processor == b.processor;
  };
  return std::equal(one.begin(), one.end(), other.begin(), other.end(), same_host);
}

// Keeps the records for which wanted(record) holds. A rank without any is removed.
template <typename Wanted>
void keep_records(std::vector<RankSteps>& ranks, Wanted wanted) {
  for (RankSteps& rank : ranks) {
    std::vector<Interval> kept;
    for (const Interval& part : rank.kept) {
      for (size_t i = part.begin; i < part.end; ++i) {
        if (!wanted(rank.records[i])) continue;
        if (!kept.empty() && kept.back().end == i) {
          ++kept.back().end;
        } else {
          kept.push_back({i, i + 1});
        }
      }
    }
    rank.kept = std::move(kept);
  }
  std::erase_if(ranks, [](const RankSteps& rank) { return rank.kept.empty(); });
}

MetricTable rows_of_layout(const MetricTable& table, const std::set<int>& starts) {
  const std::vector<double> start = table.column("start");
  MetricTable kept;
  for (const auto& [key, values] : table.columns) kept.columns[key];
  for (size_t row = 0; row < table.rows(); ++row) {
    if (is_known(start[row]) && !starts.contains(static_cast<int>(start[row]))) continue;
    kept.step.push_back(table.step[row]);
    kept.time.push_back(table.time[row]);
    for (const auto& [key, values] : table.columns) kept.columns[key].push_back(values[row]);
  }
  return kept;
}

std::string range_text(const StepRange& range) {
  const std::string first = counted(static_cast<double>(range.first));
  return range.count() == 1 ? first : fmt::format("{} to {}", first, counted(static_cast<double>(range.last)));
}

std::string about_text(const std::vector<Layout>& layouts, size_t judged) {
  const std::vector<std::string> texts = layout_texts(layouts);
  std::vector<std::string> others;
  int64_t other_steps = 0;
  for (size_t i = 0; i < layouts.size(); ++i) {
    if (i == judged) continue;
    others.push_back(fmt::format("{} ran with {}", layouts[i].steps_text(), texts[i]));
    other_steps += layouts[i].steps;
  }
  if (others.size() > kMaxNamed) {
    others = {fmt::format("the other {} ran with {} other layouts",
                          counted(static_cast<double>(other_steps), "step", "steps"), others.size())};
  }
  return fmt::format("This is about {}, with {}; {}.", layouts[judged].steps_text(), texts[judged], list_text(others));
}

}  // namespace

std::map<int, StepRange> steps_by_start(const RunData& run) {
  std::map<int, StepRange> ranges;
  const auto add = [&](int start, int64_t first, int64_t last) {
    const auto [found, is_new] = ranges.try_emplace(start, StepRange{first, last});
    if (!is_new) found->second.last = last;
  };
  if (const RankSteps* own = run.steps_of(0)) {
    for (const Interval& kept : own->kept) {
      for_each_start(own->records, kept, [&](uint32_t start, const Interval& part) {
        add(static_cast<int>(start), own->records[part.begin].step, own->records[part.end - 1].step);
      });
    }
    return ranges;
  }
  const std::vector<double> start = run.training.column("start");
  int64_t before = 0;
  for (size_t row = 0; row < start.size(); ++row) {
    if (is_known(start[row])) add(static_cast<int>(start[row]), before + 1, run.training.step[row]);
    before = run.training.step[row];
  }
  return ranges;
}

std::string Layout::text() const {
  size_t workers = 0;
  std::vector<std::string> names;
  for (const HostFacts& host : hosts) {
    workers += host.workers.size();
    names.push_back(host.name);
  }
  std::string text = counted(static_cast<double>(workers), "worker", "workers");
  text += names.size() > kMaxNamed ? fmt::format(" on {} hosts", names.size()) : " on " + list_text(names);
  return text;
}

std::string Layout::threads_text() const {
  const double threads = hosts.front().threads_per_worker;
  return is_known(threads) ? fmt::format(", {} each", counted(threads, "thread", "threads")) : "";
}

std::string Layout::steps_text() const {
  if (ranges.size() > kMaxNamed) return counted(static_cast<double>(steps), "step", "steps");
  std::vector<std::string> parts;
  for (const StepRange& range : ranges) parts.push_back(range_text(range));
  return (steps == 1 ? "step " : "steps ") + list_text(parts);
}

std::vector<std::string> layout_texts(const std::vector<Layout>& layouts) {
  std::vector<std::string> texts;
  for (const Layout& layout : layouts) texts.push_back(layout.text());
  if (std::set<std::string>(texts.begin(), texts.end()).size() == texts.size()) return texts;
  for (size_t i = 0; i < texts.size(); ++i) texts[i] += layouts[i].threads_text();
  return texts;
}

std::vector<Layout> layouts_of(const RunData& run) {
  const std::map<int, StepRange> steps = steps_by_start(run);
  std::vector<Layout> layouts;
  for (const StartFacts& start : run.starts) {
    const auto found = steps.find(start.number);
    const std::vector<HostFacts>& hosts = start.hosts.empty() ? run.hosts : start.hosts;
    if (found == steps.end() || hosts.empty()) continue;
    auto layout = std::find_if(layouts.begin(), layouts.end(),
                               [&](const Layout& known) { return same_layout(known.hosts, hosts); });
    if (layout == layouts.end()) layout = layouts.emplace(layouts.end());
    layout->hosts = hosts;
    layout->starts.insert(start.number);
    layout->steps += found->second.count();
    if (!layout->ranges.empty() && layout->ranges.back().last + 1 == found->second.first) {
      layout->ranges.back().last = found->second.last;
    } else {
      layout->ranges.push_back(found->second);
    }
  }
  return layouts;
}

std::optional<LayoutPart> largest_part(const RunData& run) {
  const std::vector<Layout> layouts = layouts_of(run);
  if (layouts.size() < 2) return std::nullopt;
  const auto found = std::max_element(layouts.begin(), layouts.end(),
                                      [](const Layout& a, const Layout& b) { return a.steps < b.steps; });
  const Layout& largest = *found;
  LayoutPart part = {run, about_text(layouts, static_cast<size_t>(found - layouts.begin()))};
  const auto other_start = [&](auto start) { return !largest.starts.contains(static_cast<int>(start)); };
  part.run.hosts = largest.hosts;
  part.run.training = rows_of_layout(run.training, largest.starts);
  keep_records(part.run.ranks, [&](const StepRecord& record) { return !other_start(record.start); });
  std::erase_if(part.run.exchange, [&](const ExchangeTrace& trace) { return other_start(trace.start); });
  std::erase_if(part.run.resources, [&](const Resources& samples) { return other_start(samples.header.start); });
  return part;
}

void drop_undone_records(RunData& run) {
  if (!run.steps_of(0)) return;
  const std::map<int, StepRange> counts = steps_by_start(run);
  for (RankSteps& rank : run.ranks) {
    const std::vector<Interval> all = std::exchange(rank.kept, {});
    for (const Interval& whole : all) {
      for_each_start(rank.records, whole, [&](uint32_t start, Interval part) {
        const auto found = counts.find(static_cast<int>(start));
        if (found == counts.end()) return;
        while (part.size() > 0 && rank.records[part.end - 1].step > found->second.last) --part.end;
        if (part.size() == 0) return;
        if (!rank.kept.empty() && rank.kept.back().end == part.begin) {
          rank.kept.back().end = part.end;
        } else {
          rank.kept.push_back(part);
        }
      });
    }
  }
  std::erase_if(run.ranks, [](const RankSteps& rank) { return rank.kept.empty(); });
}

}  // namespace verbund
