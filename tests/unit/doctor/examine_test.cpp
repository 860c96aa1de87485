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

TEST(Examine, WhatTrainWouldRefuseAreFacts) {
  const TemporaryFolder folder;
  const std::string file = folder.write("file", "x");
  const auto own = [&](const std::vector<std::string>& overrides, const std::string& run) {
    Workers alone;
    return examine(alone, {"verbund 1", "", overrides, "", run});
  };
  const Facts config = own({"workers.sync_every=8", "workers.shard_optimizer=true"}, folder / "new");
  EXPECT_THAT(config.workers[0].config_error, HasSubstr("shard_optimizer"));
  EXPECT_EQ(config.workers[0].run_error, "");
  EXPECT_EQ(worst_of(judge_facts(config)), Health::kProblem);
  EXPECT_THAT(own({"model.d_model=30"}, "").workers[0].config_error, HasSubstr("d_model"));
  EXPECT_THAT(own({}, file).workers[0].run_error, HasSubstr("file"));
  EXPECT_NE(own({}, folder.path()).workers[0].run_error, "") << "other files";
  EXPECT_FALSE(own({}, file + "/below").workers[0].run.writable);
  EXPECT_EQ(worst_of(judge_facts(own({}, "/proc/foo/bar"))), Health::kProblem) << "no room";
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
