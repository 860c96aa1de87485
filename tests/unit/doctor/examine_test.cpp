// SPDX-License-Identifier: Apache-2.0
#include "doctor/examine.h"

#include "doctor/judge.h"
#include "support/temporary_folder.h"
#include "support/thread_workers.h"

namespace verbund {
namespace {

using ::testing::HasSubstr;

TEST(Examine, OneWorkerAlone) {
  Workers alone;
  const Facts facts = examine(alone, {"verbund 1", "", {}, "", ""});
  ASSERT_EQ(facts.workers.size(), 1U);
  EXPECT_EQ(facts.workers[0].program, "verbund 1");
  EXPECT_GT(facts.workers[0].free_memory, 0U);
  EXPECT_GT(facts.workers[0].temporary.free_bytes, 0U);
  EXPECT_EQ(facts.all_reduce.measured_bytes, 0U);
  EXPECT_NE(worst_of(judge_facts(facts)), Health::kProblem);
}

TEST(Examine, WrongConfigAndMissingDatasetAreFacts) {
  const TemporaryFolder folder;
  const Training training = {"verbund 1", "", {"no.such=1"}, folder / "data", folder / "runs/new"};
  run_as_workers(2, [&](Workers& workers) {
    const Facts facts = examine(workers, training);
    ASSERT_EQ(facts.workers.size(), 2U);
    for (const WorkerFacts& worker : facts.workers) {
      EXPECT_THAT(worker.config_error, HasSubstr("no"));
      EXPECT_THAT(worker.dataset_error, HasSubstr("data"));
      EXPECT_FALSE(worker.needs.known());
    }
    EXPECT_GT(facts.workers[0].run.free_bytes, 0U);
    EXPECT_TRUE(facts.workers[0].run.writable);  // not there yet, but could be made
    EXPECT_EQ(facts.workers[1].run.path, "");    // worker 0 writes it
    EXPECT_EQ(worst_of(judge_facts(facts)), Health::kProblem);
  });
}

}  // namespace
}  // namespace verbund
