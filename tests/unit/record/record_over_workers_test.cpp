// SPDX-License-Identifier: Apache-2.0
// From the recorders of several workers to the files of worker 0, over the workers' own channel.
#include <gmock/gmock.h>

#include "record/history.h"
#include "record/record_keeper.h"
#include "record/resource_sampler.h"
#include "record/step_recorder.h"
#include "support/temporary_folder.h"
#include "support/thread_workers.h"

namespace verbund {
namespace {

constexpr int64_t kSteps = 200;

void record_steps(const RecordPost& post) {
  StepRecorder recorder(post);
  TimelineRecorder timeline({10, 12}, post);
  ResourceSampler sampler(post, resource_sources(false), 0.002);
  for (int64_t step = 1; step <= kSteps; ++step) {
    StepSeen seen;
    seen.step = step;
    seen.began = post.now();
    seen.own.tokens = 100 + post.self.rank;
    recorder.step(seen);
    timeline.step(seen);
  }
  if (post.self.rank > 0) post.post(OwnEvent{post.now(), {.event = "clock", .step = kSteps}});
  timeline.end();
  sampler.end();
  recorder.end();
}

TEST(RecordOverWorkers, EverythingArrives) {
  for (const auto watched : {Workers::Watched::kNo, Workers::Watched::kYes}) {
    const TemporaryFolder folder;
    run_as_workers(
        3,
        [&](Workers& workers) {
          const RecordPost post = record_post(workers, 4);
          std::optional<HistoryWriter> history;
          std::optional<RecordKeeper> keeper;
          if (workers.leads()) {
            history.emplace(folder.path(), post);
            keeper.emplace(folder.path(), post, workers.all(), *history, StepWindow{10, 12});
            workers.set_handler([&](int rank, auto bytes, uint64_t dropped) { keeper->receive(rank, bytes, dropped); });
          }
          record_steps(post);
          workers.flush();
          workers.set_handler({});
          if (keeper) keeper->end();
        },
        watched);
    for (int rank = 0; rank < 3; ++rank) {
      const StepRecords steps(step_records_path(folder.path(), rank));
      ASSERT_EQ(steps.size(), static_cast<size_t>(kSteps));
      for (int64_t i = 0; i < kSteps; ++i) EXPECT_EQ(steps[static_cast<size_t>(i)].step, i + 1);
      EXPECT_EQ(steps[0].tokens, 100u + static_cast<uint32_t>(rank));
      EXPECT_EQ(steps[0].start, 4u);
      EXPECT_NEAR(steps[0].began, static_cast<double>(std::time(nullptr)), 600);
    }
    int told = 0;
    for (const HistoryEvent& event : read_history(folder / "history.jsonl").events)
      told += event.event == "clock" && event.step == kSteps;
    EXPECT_EQ(told, 2);
    EXPECT_TRUE(fs::exists(folder / "timeline/steps-10-12.start-4.json"));
  }
}

}  // namespace
}  // namespace verbund
