// SPDX-License-Identifier: Apache-2.0
// Each fault gives the right verdict, names the worker or host, and gives advice; all other checks stay ok.
#include "doctor/judge.h"

#include <set>

#include "unit/doctor/made_facts.h"

namespace verbund {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

MATCHER_P2(Says, health, text, "") {
  *result_listener << name_of(arg.health) << ": " << arg.text << " -> " << arg.advice;
  // Whatever is not well comes with what to do, and nothing else does.
  return arg.health == health && arg.text.find(text) != std::string::npos &&
         arg.advice.empty() == (health == Health::kOk || health == Health::kSkipped);
}

// The findings about `check`; all others must be well.
Findings spoiled(const std::string& check, const Facts& facts) {
  const Findings all = judge_facts(facts);
  for (const Finding& finding : all) {
    EXPECT_TRUE(finding.check == check || finding.health == Health::kOk) << finding.check << ": " << finding.text;
  }
  return about(check, all);
}

TEST(Judge, HealthyHostsHaveARowForEverything) {
  const Findings all = judge_facts(made_facts());
  EXPECT_EQ(worst_of(all), Health::kOk);
  std::vector<std::string> checks;
  for (const Finding& finding : all) {
    if (checks.empty() || checks.back() != finding.check) checks.push_back(finding.check);
    EXPECT_THAT(finding.advice, IsEmpty());
  }
  EXPECT_THAT(checks, ElementsAre("reachable", "start", "program", "kernels", "config", "dataset", "cores", "load",
                                  "memory", "disk", "GPUs", "clock", "network", "link", "all-reduce"));
}

TEST(Judge, ABusyHostIsNamed) {
  Facts facts = made_facts();
  facts.workers[2].other_load = 7.5;  // of 8 cores, which two workers with 4 threads each share
  facts.workers[2].load_average = 20.25;
  EXPECT_THAT(spoiled("load", facts), ElementsAre(Says(Health::kOk, "a:"), Says(Health::kWarning, "b:")));
  facts.workers[2].other_load = 0.2;
  EXPECT_EQ(worst_of(judge_facts(facts)), Health::kOk);
  for (WorkerFacts& worker : facts.workers) worker.threads = 2;
  facts.workers[2].other_load = 4;
  EXPECT_EQ(worst_of(judge_facts(facts)), Health::kOk) << "there are cores enough for all";
}

TEST(Judge, SilentHostIsNamedWithWhatItSaid) {
  Facts facts;
  facts.asked = {{"a", 2, true, ""}, {"b", 2, false, "No route to host"}};
  facts.start = StartResult::kNotTried;
  const Findings all = judge_facts(facts);
  EXPECT_THAT(all, ElementsAre(Says(Health::kOk, "a (2)"), Says(Health::kProblem, "No route to host"),
                               Says(Health::kProblem, "")));
  EXPECT_THAT(all[1].advice, HasSubstr("ssh b true"));
}

TEST(Judge, WhatKeptWorkersFromComingTogether) {
  Facts facts;
  facts.asked = {{"a", 1, true, ""}, {"b", 1, true, ""}};
  facts.start_message = "no word";
  const std::pair<StartResult, std::string> cases[] = {{StartResult::kBlocked, "firewall"},
                                                       {StartResult::kNoProgram, "same path"},
                                                       {StartResult::kNoMpirun, "openmpi-bin"},
                                                       {StartResult::kFailed, "mpirun"}};
  for (const auto& [result, advice] : cases) {
    facts.start = result;
    const Findings all = judge_facts(facts);
    ASSERT_THAT(about("start", all), ElementsAre(Says(Health::kProblem, "no word")));
    EXPECT_THAT(all.back().advice, HasSubstr(advice));
    EXPECT_THAT(all, SizeIs(2));
  }
}

TEST(Judge, UnderAnotherLauncherNobodyWasAsked) {
  Facts facts = made_facts();
  facts.asked.clear();
  const Findings all = judge_facts(facts);
  EXPECT_THAT(about("reachable", all), IsEmpty());
  EXPECT_THAT(about("start", all), ElementsAre(Says(Health::kOk, "4 workers")));
}

TEST(Judge, AnotherVersionIsAProblem) {
  Facts facts = made_facts();
  facts.workers[2].program = facts.workers[3].program = "verbund 0.9 (commit old)";
  EXPECT_THAT(spoiled("program", facts),
              ElementsAre(Says(Health::kProblem, "workers 2, 3 on b: verbund 0.9 (commit old)")));
}

TEST(Judge, AnotherBuildIsAWarning) {
  Facts facts = made_facts();
  facts.workers[1].build = "ffffffffffffffff";
  EXPECT_THAT(spoiled("program", facts), ElementsAre(Says(Health::kWarning, "worker 1 on a: ffffffff")));
}

TEST(Judge, TheMajorityIsRight) {
  Facts facts = made_facts();
  facts.workers[0].dataset = "ffffffffffffffff";
  EXPECT_THAT(spoiled("dataset", facts), ElementsAre(Says(Health::kProblem, "worker 0 on a: ffffffff")));
}

TEST(Judge, OtherInstructionSetsAreAWarning) {
  Facts facts = made_facts();
  facts.workers[2].kernels = facts.workers[3].kernels = "avx512";
  EXPECT_THAT(spoiled("kernels", facts), ElementsAre(Says(Health::kWarning, "workers 2, 3 on b: avx512")));
}

TEST(Judge, ConfigThatDiffersOrIsWrong) {
  Facts facts = made_facts();
  facts.workers[3].config = "ffffffffffffffff";
  EXPECT_THAT(spoiled("config", facts), ElementsAre(Says(Health::kProblem, "worker 3 on b: ffffffff")));
  facts.workers[3].config = "";
  facts.workers[3].config_error = "unknown key";
  EXPECT_THAT(spoiled("config", facts), ElementsAre(Says(Health::kProblem, "worker 3 on b: unknown key")));
}

TEST(Judge, MissingDatasetIsNamedOnceForAHost) {
  Facts facts = made_facts();
  for (const size_t rank : {2, 3}) {
    facts.workers[rank].dataset = "";
    facts.workers[rank].dataset_bytes = 0;
    facts.workers[rank].dataset_error = "there is no folder data";
  }
  EXPECT_THAT(spoiled("dataset", facts),
              ElementsAre(Says(Health::kProblem, "workers 2, 3 on b: there is no folder data")));

  for (const size_t rank : {2, 3}) facts.workers[rank].dataset_disk.free_bytes = kGigabyte;
  EXPECT_THAT(spoiled("dataset", facts),
              ElementsAre(Says(Health::kProblem, "there is no folder"),
                          AllOf(Says(Health::kProblem, "3.0 GB"), Says(Health::kProblem, "1.0 GB"))));
}

TEST(Judge, DatasetMissingEverywhereIsAProblem) {
  Facts facts = made_facts();
  for (WorkerFacts& worker : facts.workers) {
    worker.dataset = "";
    worker.dataset_bytes = 0;
    worker.dataset_error = "there is no folder data";
  }
  EXPECT_THAT(spoiled("dataset", facts),
              ElementsAre(Says(Health::kProblem, "workers 0, 1 on a and 2, 3 on b: there is no folder data")));
}

TEST(Judge, WithoutConfigAndDatasetTheyAreNotLookedAt) {
  Facts facts = made_facts();
  for (WorkerFacts& worker : facts.workers) {
    worker.config = worker.dataset = "";
    worker.needs = {};
    worker.run = {};
    worker.free_memory = 1;  // enough, as far as one knows
  }
  const Findings all = judge_facts(facts);
  EXPECT_EQ(worst_of(all), Health::kOk);
  for (const char* check : {"config", "dataset", "disk"}) {
    EXPECT_THAT(about(check, all), ElementsAre(Says(Health::kSkipped, "--")));
  }
  EXPECT_THAT(about("all-reduce", all)[0].text, Not(HasSubstr("model")));
}

TEST(Judge, MoreThreadsThanCoresTakeTurns) {
  Facts facts = made_facts();
  facts.workers[2].threads = 5;
  EXPECT_THAT(spoiled("cores", facts), ElementsAre(Says(Health::kOk, "a: 2 workers with 8 threads"),
                                                   Says(Health::kWarning, "b: 2 workers with 9 threads")));
}

TEST(Judge, BoundWorkersAreNoticed) {
  Facts facts = made_facts();
  for (const int rank : {0, 1}) {
    facts.workers[rank].cores = {rank};
    facts.workers[rank].threads = 1;
  }
  const Findings cores = spoiled("cores", facts);
  EXPECT_THAT(cores, ElementsAre(Says(Health::kWarning, "a: "), Says(Health::kOk, "b: ")));
  EXPECT_THAT(cores[0].advice, HasSubstr("--bind-to none"));
}

TEST(Judge, MemoryOfAHostIsForAllItsWorkers) {
  // a takes 2 x 1 GB + 0.5 GB for the copy of worker 0, b takes 2 GB.
  const std::pair<uint64_t, std::pair<Health, Health>> cases[] = {
      {19 * kGigabyte / 10, {Health::kProblem, Health::kProblem}},
      {22 * kGigabyte / 10, {Health::kProblem, Health::kWarning}},
      {33 * kGigabyte / 10, {Health::kWarning, Health::kOk}},
      {4 * kGigabyte, {Health::kOk, Health::kOk}}};
  for (const auto& [free, expected] : cases) {
    Facts facts = made_facts();
    for (WorkerFacts& worker : facts.workers) worker.free_memory = free;
    EXPECT_THAT(spoiled("memory", facts), ElementsAre(Says(expected.first, "a: "), Says(expected.second, "b: ")));
  }
}

TEST(Judge, ARunNeedsRoomForItsCheckpoints) {
  Facts facts = made_facts();
  facts.workers[0].run.free_bytes = 6 * kGigabyte;  // 9 times 720 MB are 6.5 GB
  EXPECT_THAT(spoiled("disk", facts), ElementsAre(Says(Health::kProblem, "9 checkpoints of 720 MB take 6.5 GB")));
  facts.workers[0].run = {"/runs", 100 * kGigabyte, false};
  EXPECT_THAT(spoiled("disk", facts), ElementsAre(Says(Health::kProblem, "/runs")));
}

TEST(Judge, LittleRoomForTemporaryFilesIsAWarning) {
  Facts facts = made_facts();
  facts.workers[2].temporary.free_bytes = 50000000;
  EXPECT_THAT(spoiled("disk", facts),
              ElementsAre(Says(Health::kOk, "runs/x"), Says(Health::kWarning, "b: only 50 MB")));
}

TEST(Judge, ClocksAreComparedWithThatOfWorker0) {
  Facts facts = made_facts();
  facts.links[0].clock_offset_seconds = 2.5;
  facts.links[1].clock_offset_seconds = -2.5;
  EXPECT_THAT(spoiled("clock", facts), ElementsAre(Says(Health::kWarning, "b is 2.5 s ahead of a")));
  facts.links[0].clock_offset_seconds = -1.5;
  EXPECT_THAT(spoiled("clock", facts), ElementsAre(Says(Health::kWarning, "b is 1.5 s behind a")));
  facts.links[0].clock_offset_seconds = 0.9;
  EXPECT_THAT(spoiled("clock", facts), ElementsAre(Says(Health::kOk, "0.900 s")));
}

TEST(Judge, AddressesOfEachHost) {
  EXPECT_THAT(spoiled("network", made_facts()),
              ElementsAre(Says(Health::kOk, "a: eth0 10.0.0.1"), Says(Health::kOk, "b: eth0 10.0.0.3")));
}

TEST(Judge, LinkShowsBothDirections) {
  EXPECT_THAT(spoiled("link", made_facts()),
              ElementsAre(Says(Health::kOk, "a - b: 117 MB/s there, 116 MB/s back, round trip 0.20 ms")));
}

TEST(Judge, SlowOrLongLinksAreWarnings) {
  Facts facts = made_facts();
  facts.links[1].bytes_per_second = 11e6;  // one direction is enough
  EXPECT_THAT(spoiled("link", facts), ElementsAre(Says(Health::kWarning, "11 MB/s back")));
  facts = made_facts();
  facts.links[0].round_trip_seconds = 0.02;
  EXPECT_THAT(spoiled("link", facts), ElementsAre(Says(Health::kWarning, "20.00 ms")));
}

// A full mesh of hosts a, b, c, ... with one worker each.
Facts mesh(int hosts) {
  Facts facts = made_facts();
  facts.workers.clear();
  facts.links.clear();
  const auto name = [](int i) { return std::string(1, static_cast<char>('a' + i)); };
  for (int i = 0; i < hosts; ++i) {
    facts.workers.push_back(made_worker(i, name(i)));
    facts.workers.back().threads = 8;
    for (int j = 0; j < hosts; ++j) {
      if (i != j) facts.links.push_back({name(i), name(j), 0.0002, 0, 1e9});
    }
  }
  return facts;
}

TEST(Judge, ALinkSlowerThanTheOthersIsNamed) {
  Facts facts = mesh(3);
  facts.links[0].bytes_per_second = 117e6;  // fine if all were like this
  EXPECT_THAT(spoiled("link", facts), ElementsAre(Says(Health::kWarning, "a - b: 117 MB/s there, 1.0 GB/s back"),
                                                  Says(Health::kOk, "a - c"), Says(Health::kOk, "b - c")));
}

TEST(Judge, ManyLinksAreOneRowAndTheBadOnes) {
  Facts facts = mesh(5);
  EXPECT_THAT(spoiled("link", facts), ElementsAre(Says(Health::kOk, "10 of 10 links")));
  facts.links[0].bytes_per_second = 10e6;
  EXPECT_THAT(spoiled("link", facts),
              ElementsAre(Says(Health::kOk, "9 of 10 links"), Says(Health::kWarning, "a - b: 10 MB/s there")));
}

TEST(Judge, AllReduceIsToldForTheWholeGradient) {
  // 120 of 240 MB took 1.5 s: 3 s for all. Each of 4 workers sends 2 x 3/4 x 120 MB in 1.5 s.
  const Findings sum = spoiled("all-reduce", made_facts());
  ASSERT_THAT(sum, SizeIs(1));
  EXPECT_THAT(sum[0].text,
              AllOf(HasSubstr("240 MB takes 3.000 s over 4 workers"), HasSubstr("120 MB/s"), HasSubstr("with 120 MB")));
}

TEST(Judge, OneWorkerHasNobodyToExchangeWith) {
  Facts facts;
  facts.workers = {made_worker(0, "a")};
  facts.workers[0].threads = 8;
  const Findings all = judge_facts(facts);
  EXPECT_EQ(worst_of(all), Health::kOk);
  EXPECT_THAT(about("start", all), IsEmpty());
  EXPECT_THAT(about("clock", all), IsEmpty());
  EXPECT_THAT(about("all-reduce", all), ElementsAre(Says(Health::kOk, "")));
}

}  // namespace
}  // namespace verbund
