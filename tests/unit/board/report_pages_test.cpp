// SPDX-License-Identifier: Apache-2.0
#include "board/report_pages.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "core/error.h"

namespace verbund {
namespace {

TEST(ReportPages, AreMadeAgainOnlyWhenTheRunHasChangedAndTheyAreOld) {
  int made = 0;
  ReportPages pages([&](const auto&) {
    Page page;
    page.title = std::to_string(++made);
    return page;
  });
  const auto title = [&](uint64_t version, double now) { return pages.get("a", {"a"}, version, now)["page"]["title"]; };
  EXPECT_EQ(title(1, 1000), "1");
  EXPECT_EQ(title(1, 2000), "1");  // nothing has changed
  EXPECT_EQ(title(2, 2000), "2");
  EXPECT_EQ(title(3, 2001), "2");  // too early
  EXPECT_FALSE(pages.get("a", {"a"}, 3, 2001)["current"].get<bool>());
  EXPECT_EQ(title(3, 2010), "3");
  EXPECT_EQ(pages.get("b", {"b"}, 1, 2010)["page"]["title"], "4");
}

TEST(ReportPages, OneIsMadeForManyWhoAskAtTheSameTime) {
  std::atomic<int> made = 0;
  ReportPages pages([&](const auto&) {
    ++made;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return Page();
  });
  std::vector<std::thread> readers;
  for (int i = 0; i < 8; ++i) readers.emplace_back([&] { pages.get("a", {"a"}, 1, 1000); });
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(made, 1);
}

TEST(ReportPages, AFailureIsToldAndTriedAgain) {
  int asked = 0;
  ReportPages pages([&](const auto&) -> Page {
    if (++asked == 1) fail("it has just vanished");
    return {};
  });
  EXPECT_THROW(pages.get("a", {"a"}, 1, 1000), Error);
  EXPECT_TRUE(pages.get("a", {"a"}, 1, 1000)["current"].get<bool>());
}

TEST(ReportPages, LongSeriesBecomeBucketsThatKeepTheSpikes) {
  Page page;
  Chart chart;
  Series series;
  for (int i = 0; i < 10'000; ++i) {
    series.x.push_back(i);
    series.y.push_back(i == 777 ? 50 : 1);
  }
  chart.series = {series};
  page.sections.push_back({"curves", "Curves", {chart}});
  shorten_series(page, 100);
  const Series& shorter = std::get<Chart>(page.sections[0].blocks[0]).series[0];
  EXPECT_EQ(shorter.x.size(), 100U);
  EXPECT_EQ(*std::max_element(shorter.high.begin(), shorter.high.end()), 50);
}

}  // namespace
}  // namespace verbund
