// SPDX-License-Identifier: Apache-2.0
#include "alert/alerts.h"

#include <gmock/gmock.h>

#include "record/step_records.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> kinds_of(const AlertFigures& figures) {
  std::vector<std::string> kinds;
  for (const Alert& alert : find_alerts(figures)) kinds.push_back(alert.kind);
  return kinds;
}

AlertFigures running() {
  AlertFigures figures;
  figures.running = true;
  figures.step = 1234;
  return figures;
}

TEST(Alerts, AHealthyRunHasNone) {
  AlertFigures figures = running();
  figures.loss.assign(100, 3.0);
  figures.quiet = 59;
  figures.workers = {{0, 0, 1, "worker 0"}, {1, 0, 1.1, "worker 1"}};
  figures.disk_free = 2.1e9;
  figures.evaluated = {100, 200};
  figures.bleu = {10, 9};
  EXPECT_TRUE(find_alerts(figures).empty());
  EXPECT_TRUE(find_alerts({}).empty());
}

TEST(Alerts, EveryTroubleOfARunningRunIsFound) {
  AlertFigures figures = running();
  figures.divergence = "the loss is nan";
  figures.quiet = 61;
  figures.workers = {{0, 0, 1, "worker 0"}, {1, 0, 2, "worker 1"}};
  figures.disk_free = 1.9e9;
  for (int64_t i = 1; i <= 11; ++i) {
    figures.evaluated.push_back(1000 * i);
    figures.bleu.push_back(i == 1 ? 20 : 19);
  }
  const std::vector<Alert> alerts = find_alerts(figures);
  EXPECT_THAT(kinds_of(figures), ElementsAre("diverging", "stalled", "straggler", "disk", "no_improvement"));
  EXPECT_THAT(alerts[0].text, HasSubstr("1,234"));
  EXPECT_THAT(alerts[2].text, HasSubstr("orker 1"));
  EXPECT_THAT(alerts[4].text, HasSubstr("since step 1,000"));

  figures.running = false;
  EXPECT_TRUE(find_alerts(figures).empty()) << "a run that has ended as it should has no trouble";
}

TEST(Alerts, ARunThatEndedOtherwiseThanItShouldHasOne) {
  AlertFigures figures;
  for (const std::string end : {"diverged", "lost", "failed"}) {
    figures.end = end;
    EXPECT_THAT(kinds_of(figures), ElementsAre(end));
  }
  figures.end_reason = "cannot write";
  EXPECT_THAT(find_alerts(figures)[0].text, HasSubstr("cannot write"));
}

TEST(Alerts, BleuThatIsNotKnownIsNoImprovement) {
  AlertFigures figures = running();
  figures.bleu.assign(30, kNotKnown);
  figures.evaluated.resize(30);
  EXPECT_TRUE(find_alerts(figures).empty());
  figures.bleu[3] = 1;
  EXPECT_THAT(kinds_of(figures), ElementsAre("no_improvement"));
  figures.bleu[20] = 1.5;
  EXPECT_TRUE(find_alerts(figures).empty());
}

TEST(Alerts, ARisingLossIsDivergingAndANoisyOneIsNot) {
  std::vector<double> loss;
  for (int i = 0; i < 100; ++i) loss.push_back(3 + (i % 2 == 0 ? 0.3 : -0.3));
  EXPECT_FALSE(is_diverging(loss));
  for (int i = 0; i < 10; ++i) loss.push_back(3 + 0.3 * i);
  EXPECT_TRUE(is_diverging(loss));
  EXPECT_FALSE(is_diverging({1, 2, 3, 4}));
}

TEST(Stragglers, TheSlowestIsNamedWithItsCause) {
  EXPECT_EQ(find_straggler({{0, 0, 1}, {1, 0, 1.1}, {2, 0, 1.05}}), -1);
  EXPECT_EQ(find_straggler({{0, 0, 1}, {1, 0.4, 1}}), 1);
  EXPECT_EQ(find_straggler({{0, 0, 1}}), -1);
  EXPECT_EQ(find_straggler({{0, 0, 1e-4}, {1, 0, 9e-4}}), -1) << "less than a millisecond";
  EXPECT_THAT(straggler_text({{0, 0, 1, "worker 0"}, {1, 0.4, 1, "worker 1"}}, 1), HasSubstr("waits for data"));
  EXPECT_THAT(straggler_text({{0, 0, 1, "worker 0"}, {1, 0.1, 1.3, "worker 1"}}, 1), HasSubstr("computation"));
}

TEST(Stragglers, PacesAreThoseOfTheLastStepsOfThisStart) {
  const TemporaryFolder folder;
  fs::create_directories(folder / "steps");
  const auto write = [&](int rank, int64_t first, int64_t last, uint32_t start, float compute) {
    StepRecordWriter writer(step_records_path(folder.path(), rank));
    for (int64_t step = first; step <= last; ++step) {
      StepRecord record;
      record.step = step;
      record.start = start;
      record.compute = compute;
      record.waited = 0.25f;
      ASSERT_TRUE(writer.add({&record, 1}));
    }
  };
  const auto step_times = [&](int workers, uint32_t start) {
    return read_worker_step_times(folder.path(), workers, start, [](int rank) { return std::to_string(rank); });
  };
  write(0, 1, 1000, 0, 0.5f);
  write(1, 1, 1000, 0, 0.5f);
  write(1, 801, 1000, 0, 0.75f);  // after a roll-back
  ASSERT_EQ(step_times(2, 0).size(), 2U);
  EXPECT_EQ(step_times(2, 0)[0].compute, 0.5);
  EXPECT_EQ(step_times(2, 0)[1].compute, 0.75);
  EXPECT_EQ(step_times(2, 0)[1].waited, 0.25);
  EXPECT_EQ(step_times(2, 0)[1].name, "1");
  EXPECT_TRUE(step_times(3, 0).empty()) << "worker 2 has no steps yet";
  EXPECT_TRUE(step_times(2, 1).empty()) << "the next start has none";
  write(0, 1001, 1030, 1, 1.0f);
  write(1, 1001, 1030, 1, 1.0f);
  EXPECT_EQ(step_times(2, 1)[0].compute, 1.0) << "steps of the start before do not count";

  std::ofstream(step_records_path(folder.path(), 1)) << "something else altogether";
  EXPECT_TRUE(step_times(2, 1).empty());
  fs::remove(step_records_path(folder.path(), 1));
  EXPECT_TRUE(step_times(2, 1).empty());
}

TEST(Stragglers, HalfARecordAtTheEndIsNotRead) {
  const TemporaryFolder folder;
  {
    StepRecordWriter writer(folder / "rank");
    for (int64_t step = 1; step <= 3; ++step) {
      StepRecord record;
      record.step = step;
      ASSERT_TRUE(writer.add({&record, 1}));
    }
  }
  std::ofstream(folder / "rank", std::ios::app) << "half";
  EXPECT_EQ(read_last_step_records(folder / "rank", 2).size(), 2U);
  EXPECT_EQ(read_last_step_records(folder / "rank", 2).back().step, 3);
  EXPECT_EQ(read_last_step_records(folder / "rank", 100).size(), 3U);
  fs::resize_file(folder / "rank", 16);
  EXPECT_TRUE(read_last_step_records(folder / "rank", 2).empty());
}

}  // namespace
}  // namespace verbund
