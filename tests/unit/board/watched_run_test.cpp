// SPDX-License-Identifier: Apache-2.0
#include "board/watched_run.h"

#include <gtest/gtest.h>

#include "board/run_curves.h"
#include "board/run_summary.h"
#include "core/folder_lock.h"
#include "unit/board/made_folder.h"

namespace verbund {
namespace {

double now_in_test() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

TEST(WatchedRun, GrowsWithItsFilesAndIsTheSameAsOneReadAnew) {
  const TemporaryFolder folder;
  const MadeFolder made(folder / "a");
  WatchedRun watched(made.path(), "a");
  for (int64_t step = 10; step <= 400; step += 10) {
    made.train(step, 8.0 / static_cast<double>(step));
    if (step % 100 == 0) made.evaluate(step, static_cast<double>(step) / 20);
    made.steps(0, step - 9, step, 0.5f);
    EXPECT_TRUE(watched.refresh(now_in_test()));
    EXPECT_EQ(watched.step(), step);
    EXPECT_FALSE(watched.refresh(now_in_test()));
  }
  watched.refresh_steps();
  WatchedRun anew(made.path(), "a");
  anew.refresh(now_in_test());
  anew.refresh_steps();
  EXPECT_EQ(watched.training().step, anew.training().step);
  EXPECT_EQ(watched.training().columns.at("train_cross_entropy"), anew.training().columns.at("train_cross_entropy"));
  EXPECT_EQ(watched.evaluations().column("dev_bleu"), anew.evaluations().column("dev_bleu"));
  EXPECT_EQ(watched.phases().at(0).buckets().size(), 400U);

  const Json row = run_row(watched);
  EXPECT_EQ(row["state"], "training");
  EXPECT_EQ(row["last_step"], 1000);
  EXPECT_EQ(row["progress"], 0.4);
  EXPECT_EQ(row["seconds_left"], 600);  // a second a step by the clock
  EXPECT_EQ(row["best_bleu"], 20);
  EXPECT_EQ(row["best_bleu_step"], 400);
  EXPECT_EQ(row["loss"], 0.02);
  EXPECT_EQ(row["tokens_per_second"], 1000);
  EXPECT_EQ(row["workers"], 1);
  EXPECT_EQ(row["curve"].size(), 40U);
}

TEST(WatchedRun, BearsFilesThatVanishShrinkOrEndInHalfALine) {
  const TemporaryFolder folder;
  const MadeFolder made(folder / "a");
  made.train(10, 5);
  made.train(20, 4);
  made.steps(0, 1, 20, 0.5f);
  WatchedRun watched(made.path(), "a");
  watched.refresh(now_in_test());
  watched.refresh_steps();
  EXPECT_EQ(watched.training().rows(), 2U);

  std::ofstream(made.path() / "metrics.jsonl", std::ios::app) << "{\"step\":30,\"train_cr";
  watched.refresh(now_in_test());
  EXPECT_EQ(watched.training().rows(), 2U);
  std::ofstream(made.path() / "metrics.jsonl", std::ios::app) << "oss_entropy\":3}\n";
  watched.refresh(now_in_test());
  EXPECT_EQ(watched.training().rows(), 3U);

  fs::resize_file(made.path() / "metrics.jsonl", 3);
  fs::resize_file(step_records_path(made.path(), 0), 16 + 64 * 5 + 7);
  std::ofstream(made.path() / "run.json") << "{\"format\":";
  std::ofstream(made.path() / "config.yaml") << "train: [";
  EXPECT_TRUE(watched.refresh(now_in_test()));
  watched.refresh_steps();
  EXPECT_EQ(watched.training().rows(), 0U);
  EXPECT_EQ(watched.phases().at(0).last_step(), 5);
  EXPECT_TRUE(watched.starts().empty());
  EXPECT_FALSE(watched.config());

  fs::remove_all(made.path());
  EXPECT_TRUE(watched.refresh(now_in_test()));
  watched.refresh_steps();
  EXPECT_EQ(watched.state(), RunState::kUnclear);
  EXPECT_EQ(run_row(watched)["step"], 0);
}

TEST(WatchedRun, ALockOrASignOfLifeTellsALivingRunFromALostOne) {
  const TemporaryFolder folder;
  const MadeFolder made(folder / "a");
  made.train(10, 5);
  const double now = now_in_test();
  WatchedRun watched(made.path(), "a");
  watched.refresh(now);
  EXPECT_EQ(watched.state(), RunState::kTraining);
  watched.refresh(now + 100);
  EXPECT_EQ(watched.state(), RunState::kLost);
  ASSERT_EQ(find_alerts(watched, kNotKnown).size(), 1U);
  EXPECT_EQ(find_alerts(watched, kNotKnown)[0].kind, "lost");
  {
    FolderLock lock(made.path());
    ASSERT_TRUE(lock.try_lock());
    watched.refresh(now + 200);
    EXPECT_EQ(watched.state(), RunState::kTraining);
    EXPECT_EQ(find_alerts(watched, kNotKnown)[0].kind, "stalled");
    EXPECT_EQ(find_alerts(watched, 1e9)[1].kind, "disk");
  }
  watched.refresh(now + 300);
  EXPECT_EQ(watched.state(), RunState::kLost);
  made.end("finished at step 10");
  watched.refresh(now + 300);
  EXPECT_EQ(watched.state(), RunState::kFinished);
  EXPECT_TRUE(find_alerts(watched, 1e9).empty());
}

TEST(WatchedRun, MarksResumesRollBacksAndTheBest) {
  const TemporaryFolder folder;
  const MadeFolder made(folder / "a");
  made.evaluate(100, 7);
  made.evaluate(200, 9);
  made.append("history.jsonl", {{"event", "start"}, {"step", 0}, {"at", 1.0}});
  made.append("history.jsonl", {{"event", "resume"}, {"step", 150}, {"at", 2.0}, {"from_step", 150}});
  made.append("history.jsonl", {{"event", "diverged"}, {"step", 180}, {"at", 3.0}, {"reason", "x\ny"}});
  made.append("history.jsonl", {{"event", "roll_back"}, {"step", 180}, {"to_step", 160}, {"at", 3.5}, {"reason", "x"}});
  WatchedRun watched(made.path(), "a");
  watched.refresh(now_in_test());
  std::vector<std::pair<std::string, int64_t>> marks;
  for (const RunMark& mark : watched.marks()) marks.emplace_back(mark.kind, mark.step);
  EXPECT_EQ(marks, (std::vector<std::pair<std::string, int64_t>>{
                       {"resume", 150}, {"roll_back", 160}, {"diverged", 180}, {"best", 200}}));
  EXPECT_FALSE(watched.signs().diverged);
  EXPECT_EQ(watched.marks()[2].text, "diverged: x");
}

TEST(RunCurves, KeepEverySpikeAndGetFinerInARange) {
  const TemporaryFolder folder;
  const MadeFolder made(folder / "a");
  for (int64_t step = 1; step <= 5000; ++step)
    made.train(step, step == 2222 ? 99 : 1 + 1.0 / static_cast<double>(step));
  WatchedRun watched(made.path(), "a");
  watched.refresh(now_in_test());
  CurveRequest request;
  request.key = "train_cross_entropy";
  request.buckets = 100;
  const Json all = curve_json(watched, request);
  EXPECT_EQ(all["x"].size(), 100U);
  EXPECT_EQ(all["values"], 5000);
  EXPECT_EQ(*std::max_element(all["high"].begin(), all["high"].end()), 99);
  request.buckets = 1'000'000;
  EXPECT_LE(curve_json(watched, request)["x"].size(), kMaxBuckets);

  request.buckets = 100;
  request.from = 2200;
  request.to = 2250;
  const Json part = curve_json(watched, request);
  EXPECT_EQ(part["values"], 53);  // with a neighbour at each end
  EXPECT_EQ(part["x"].front(), 2199);
  EXPECT_EQ(part["x"].back(), 2251);
  EXPECT_EQ(part["high"][23], 99);

  request.axis = CurveAxis::kTokens;
  request.from = 1000 * 1000;
  request.to = 1010 * 1000;
  EXPECT_EQ(curve_json(watched, request)["x"][1], 1000 * 1000);
  request.axis = CurveAxis::kTime;
  request.from = 1'770'000'100;
  request.to = 1'770'000'200;
  EXPECT_EQ(curve_json(watched, request)["values"], 103);
  request.key = "nothing";
  request.axis = CurveAxis::kStep;
  EXPECT_EQ(curve_json(watched, request)["x"].size(), 0U);
}

TEST(WatchedRun, AStragglerIsAnAlertBeforeAnyPageHasReadAllSteps) {
  const TemporaryFolder folder;
  const MadeFolder made(folder / "a", 4);
  made.train(10, 5);
  for (int rank = 0; rank < 4; ++rank) made.steps(rank, 1, 300, rank == 2 ? 0.75f : 0.5f);
  WatchedRun watched(made.path(), "a");
  watched.refresh(now_in_test());
  const std::vector<Alert> alerts = find_alerts(watched, kNotKnown);
  ASSERT_EQ(alerts.size(), 1U);
  EXPECT_EQ(alerts[0].kind, "straggler");
  EXPECT_NE(alerts[0].text.find("orker 2 on alpha"), std::string::npos) << alerts[0].text;
  EXPECT_TRUE(watched.phases().empty());

  for (int rank = 0; rank < 4; ++rank) made.steps(rank, 301, 500, 0.5f);
  watched.refresh(now_in_test());
  EXPECT_TRUE(find_alerts(watched, kNotKnown).empty()) << "it has caught up";
}

TEST(WatchedRun, ARunThatFailedOrLostAWorkerSaysWhy) {
  const TemporaryFolder folder;
  const MadeFolder made(folder / "a");
  made.train(10, 5);
  WatchedRun watched(made.path(), "a");
  made.end("ended at step 10: cannot write the checkpoint");
  watched.refresh(now_in_test());
  ASSERT_EQ(find_alerts(watched, kNotKnown).size(), 1U);
  EXPECT_EQ(find_alerts(watched, kNotKnown)[0].kind, "failed");
  EXPECT_NE(find_alerts(watched, kNotKnown)[0].text.find(": cannot write"), std::string::npos);
  made.end("lost worker 1 on beta: it ended without a message");
  watched.refresh(now_in_test());
  EXPECT_EQ(find_alerts(watched, kNotKnown)[0].kind, "lost");
  EXPECT_NE(find_alerts(watched, kNotKnown)[0].text.find("worker 1 on beta"), std::string::npos);
}

}  // namespace
}  // namespace verbund
