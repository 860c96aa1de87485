// SPDX-License-Identifier: Apache-2.0
// Runs whose number of workers changed at a start.
#include "report/layouts.h"

#include <gmock/gmock.h>

#include "report/judge.h"
#include "report/run_page.h"
#include "unit/report/made_run.h"

namespace verbund {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// So many steps with two workers on two hosts, then some with one.
MadeRun two_then_one(int64_t two = 300, int64_t one = 2, int64_t undone = 0) {
  MadeRun made(2);
  made.start(1);
  made.steps(1, two + undone, {0, 0.5, 0.4, 0.1, 1000000});
  made.end("finished");
  made.use_workers(1);
  made.start(1, two);
  made.steps(two + 1, two + one, {0, 0.9, 0, 0.1});
  made.end("finished");
  return made;
}

TEST(Layouts, AreThoseOfTheStarts) {
  const RunData run = two_then_one().take();
  const std::vector<Layout> layouts = layouts_of(run);
  ASSERT_EQ(layouts.size(), 2U);
  EXPECT_EQ(layouts[0].steps, 300);
  EXPECT_EQ(layouts[0].hosts.size(), 2U);
  EXPECT_THAT(layouts[0].starts, ElementsAre(0));
  EXPECT_EQ(layouts[1].ranges.front().first, 301);
  EXPECT_EQ(layouts[1].steps, 2);
}

TEST(Layouts, AResumeWithTheSameWorkersChangesNothing) {
  MadeRun made(2);
  for (const int64_t first : {1, 101}) {
    made.start(1, first - 1);
    made.steps(first, first + 99);
    made.end("stopped by SIGTERM");
  }
  made.data().hosts.front().name = made.data().starts.back().hosts.front().name = "renamed";
  const RunData run = made.take();
  EXPECT_EQ(layouts_of(run).size(), 1U);
  EXPECT_EQ(layouts_of(run).front().ranges.size(), 1U);
  EXPECT_FALSE(largest_part(run));
}

TEST(Layouts, TheVerdictIsAboutTheStepsOfTheLargestPart) {
  const std::vector<Verdict> verdicts = judge(two_then_one().take());
  const Verdict network = find_verdict(verdicts, "network");
  EXPECT_EQ(find_figure(network, "sent by a worker in a step, counted").value, 1);
  EXPECT_NEAR(find_figure(network, "step waiting for the exchange").value, 40, 0.1);
  const Verdict step = find_verdict(verdicts, "step_time");
  EXPECT_EQ(find_figure(step, "steps looked at").value, 300);
  for (const char* id : {"network", "step_time", "traffic", "processors"}) {
    EXPECT_THAT(find_verdict(verdicts, id).sentence, AllOf(HasSubstr("steps 1 to 300"), HasSubstr("steps 301 to 302")))
        << id;
  }
}

TEST(Layouts, OneWorkerThenTwo) {
  MadeRun made(2);
  made.use_workers(1);
  made.start(1);
  made.steps(1, 100, {0, 0.9, 0, 0.1});
  made.end("finished");
  made.use_workers(2);
  made.start(1, 100);
  made.steps(101, 105, {0, 0.5, 0.4, 0.1, 1000000});
  made.end("finished");
  const RunData run = made.take();
  const std::vector<Verdict> verdicts = judge(run);
  EXPECT_EQ(find_figure(find_verdict(verdicts, "step_time"), "steps looked at").value, 100);
  EXPECT_THAT(find_verdict(verdicts, "network").figures, IsEmpty());
}

// Steps 301 to 310 of worker 1 were computed again by worker 0 alone.
TEST(Layouts, UndoneStepsOfAWorkerThatLeftDoNotCount) {
  const RunData run = two_then_one(300, 2, 10).take();
  EXPECT_EQ(run.steps_of(0)->kept_count(), 302U);
  EXPECT_EQ(run.steps_of(1)->kept_count(), 300U);
  EXPECT_EQ(find_figure(find_verdict(judge(run), "step_time"), "steps looked at").value, 300);
}

// Without step records, metrics.jsonl has the start of each line.
TEST(Layouts, WithoutRecordsTheMetricsTell) {
  RunData run = two_then_one().take();
  run.ranks.clear();
  for (int64_t step = 10; step <= 300; step += 10) {
    MadeRun::row(run.training, step, {{"start", 0}, {"seconds_per_step", 1}, {"exchange_bytes_sent_per_step", 1e6}});
  }
  MadeRun::row(run.training, 302, {{"start", 1}, {"seconds_per_step", 5}});
  const auto part = largest_part(run);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->run.training.rows(), 30U);
  EXPECT_EQ(part->run.workers(), 2);
  EXPECT_EQ(layouts_of(run).back().ranges.front().first, 301);
}

TEST(Layouts, ThePageNamesEachStart) {
  const RunData run = two_then_one().take();
  const Section environment = environment_section(run);
  const auto table = std::find_if(environment.blocks.begin(), environment.blocks.end(), [](const Block& block) {
    return std::holds_alternative<Table>(block) && std::get<Table>(block).id == "starts";
  });
  ASSERT_NE(table, environment.blocks.end());
  const auto& rows = std::get<Table>(*table).rows;
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_NEAR(*rows[0][5].value, 2000, 1) << "tokens of both workers in a second";
  EXPECT_NEAR(*rows[1][5].value, 1000, 1);
  const std::string commands = std::get<Code>(commands_section(run).blocks.back()).text;
  EXPECT_THAT(commands, AllOf(HasSubstr("launch -H a:1,b:1 -- train"), HasSubstr("verbund train")));
}

}  // namespace
}  // namespace verbund
