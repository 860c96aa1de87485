// SPDX-License-Identifier: Apache-2.0
#include "board/report_pages.h"

#include <algorithm>

#include "core/elapsed.h"
#include "core/file.h"
#include "page/curve.h"

namespace verbund {
namespace {

constexpr size_t kMaxPoints = 1000;

void shorten(Chart& chart, size_t max_points) {
  for (Series& series : chart.series) {
    if (series.x.size() <= max_points || !series.low.empty() || !series.high.empty()) continue;
    Series shorter;
    shorter.name = series.name;
    shorter.drawn = series.drawn;
    for (const Bucket& bucket : into_buckets(series.x, series.y, max_points)) {
      shorter.x.push_back(bucket.x);
      shorter.y.push_back(bucket.last);
      shorter.low.push_back(bucket.low);
      shorter.high.push_back(bucket.high);
    }
    series = std::move(shorter);
  }
}

}  // namespace

void shorten_series(Page& page, size_t max_points) {
  for (Verdict& verdict : page.verdicts) {
    for (Chart& chart : verdict.charts) shorten(chart, max_points);
  }
  for (Section& section : page.sections) {
    for (Block& block : section.blocks) {
      if (auto* chart = std::get_if<Chart>(&block)) shorten(*chart, max_points);
    }
  }
}

Json ReportPages::get(const std::string& name, const std::vector<fs::path>& folders, uint64_t version, double now) {
  std::unique_lock lock(mutex_);
  const auto answer = [&](const Kept& kept) -> Json {
    return {{"page", kept.page},
            {"made_at", kept.made_at},
            {"seconds", kept.seconds},
            {"current", kept.version == version}};
  };
  if (const auto found = pages_.find(name); found != pages_.end()) {
    Kept& kept = found->second;
    kept.asked_at = now;
    if (!kept.page.is_null() && (kept.version == version || kept.is_being_made ||
                                 now - kept.made_at < std::max(kLeastAge, kept.seconds / kShareOfTime))) {
      return answer(kept);
    }
    made_.wait(lock, [&] { return !pages_[name].is_being_made; });
    if (!pages_[name].page.is_null() && pages_[name].version == version) return answer(pages_[name]);
  } else if (pages_.size() >= kMaxPages) {
    const auto oldest = std::min_element(pages_.begin(), pages_.end(), [](const auto& a, const auto& b) {
      return std::pair(a.second.is_being_made, a.second.asked_at) <
             std::pair(b.second.is_being_made, b.second.asked_at);
    });
    if (!oldest->second.is_being_made) pages_.erase(oldest);
  }
  pages_[name].is_being_made = true;
  pages_[name].asked_at = now;
  lock.unlock();

  Json page;
  std::exception_ptr trouble;
  const double began = monotonic_seconds();
  try {
    Page made = make_(folders);
    shorten_series(made, kMaxPoints);
    page = json_page(made);
    page.erase("strip");  // the live page draws these charts itself, as they grow
  } catch (...) {
    trouble = std::current_exception();
  }
  lock.lock();
  Kept& kept = pages_[name];
  kept.is_being_made = false;
  made_.notify_all();
  if (trouble) {
    if (kept.page.is_null()) pages_.erase(name);
    std::rethrow_exception(trouble);
  }
  kept.page = std::move(page);
  kept.version = version;
  kept.made_at = now;
  kept.seconds = monotonic_seconds() - began;
  return answer(kept);
}

}  // namespace verbund
