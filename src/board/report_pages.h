// SPDX-License-Identifier: Apache-2.0
// ReportPages keeps the report's page of each run, as JSON. A page is rebuilt when its run has changed, within 5 % of
// the time (kShareOfTime); until then the previous one is shown, with its age.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "core/json.h"
#include "page/page.h"

namespace verbund {

class ReportPages {
 public:
  // Makes the page of the runs in these folders: of one run its report, of several their comparison.
  using Make = std::function<Page(const std::vector<std::filesystem::path>& folders)>;

  explicit ReportPages(Make make) : make_(std::move(make)) {}

  // `version` is that of the run's data. Fails if the page cannot be made.
  // {"page": ..., "made_at": seconds since 1970, "seconds": that it took, "current": whether nothing has changed since}
  Json get(const std::string& name, const std::vector<std::filesystem::path>& folders, uint64_t version, double now);

 private:
  static constexpr size_t kMaxPages = 50;
  static constexpr double kShareOfTime = 0.05;  // spent on making one page again and again
  static constexpr double kLeastAge = 5;        // seconds

  struct Kept {
    Json page;
    uint64_t version = 0;
    double made_at = -1e18, seconds = 0, asked_at = 0;
    bool is_being_made = false;
  };

  Make make_;
  std::mutex mutex_;  // of all members below
  std::condition_variable made_;
  std::map<std::string, Kept> pages_;
};

// Long series become buckets with their smallest and largest values, so that a page stays small.
void shorten_series(Page& page, size_t max_points);

}  // namespace verbund
