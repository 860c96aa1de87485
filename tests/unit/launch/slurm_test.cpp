// SPDX-License-Identifier: Apache-2.0
// Slurm's variables, srun's command line and srun's output.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "core/error.h"
#include "core/human.h"
#include "launch/slurm_allocation.h"
#include "launch/srun_output.h"
#include "launch/srun_starter.h"
#include "support/expect_error.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

SlurmAllocation allocation(std::map<std::string, std::string> variables) {
  return read_allocation([&](const char* name) { return variables[name]; },
                         [](const std::string&) {
                           return std::vector<std::string>{"n1", "n2", "n3"};
                         });
}

std::map<std::string, std::string> three_nodes() {
  return {{"SLURM_JOB_ID", "7"}, {"SLURM_JOB_NODELIST", "n[1-3]"}, {"SLURM_TASKS_PER_NODE", "1(x3)"}};
}

TEST(SlurmAllocation, ReadsTheCountsOfTasks) {
  EXPECT_THAT(parse_tasks_per_node("2"), ElementsAre(2));
  EXPECT_THAT(parse_tasks_per_node("2(x3),1"), ElementsAre(2, 2, 2, 1));
  EXPECT_THAT(parse_tasks_per_node("1,12(x2)"), ElementsAre(1, 12, 12));
  for (const char* wrong : {"", "a", "2(", "2(x", "2(x)", "2(x2", "2(x2)1", "2,", "0", "-1"}) {
    EXPECT_THROW(parse_tasks_per_node(wrong), Error) << wrong;
  }
}

TEST(SlurmAllocation, ATaskIsAWorker) {
  auto variables = three_nodes();
  variables["SLURM_NTASKS"] = "5";
  variables["SLURM_TASKS_PER_NODE"] = "2(x2),1";
  variables["SLURM_GPUS_ON_NODE"] = "4";
  EXPECT_THAT(allocation(variables).hosts, ElementsAre(Host{"n1", 2}, Host{"n2", 2}, Host{"n3", 1}));
  variables["SLURM_TASKS_PER_NODE"] = "2(x2)";
  EXPECT_ERROR(allocation(variables), Error, HasSubstr("3 hosts"));
}

TEST(SlurmAllocation, WithoutTasksAGpuIsAWorkerOrAHost) {
  auto variables = three_nodes();
  EXPECT_EQ(total_slots(allocation(variables).hosts), 3);
  variables["SLURM_GPUS_PER_NODE"] = "a100:2";
  EXPECT_EQ(total_slots(allocation(variables).hosts), 6);
  variables["SLURM_GPUS_ON_NODE"] = "4";
  EXPECT_EQ(allocation(variables).gpus, 4);
}

TEST(SlurmAllocation, OutsideOfOneIsAUsageError) {
  EXPECT_ERROR(allocation({}), UsageError, HasSubstr("SLURM_JOB_ID"));
  EXPECT_ERROR(allocation({{"SLURM_JOB_ID", "7"}}), UsageError, HasSubstr("SLURM_JOB_NODELIST"));
}

TEST(SlurmAllocation, TasksWithoutPmixAreRefused) {
  const auto check = [](std::map<std::string, std::string> variables) {
    refuse_tasks_without_pmix([&](const char* name) { return variables[name]; });
  };
  EXPECT_ERROR(check({{"SLURM_STEP_NUM_TASKS", "4"}}), UsageError, HasSubstr("4 tasks"));
  check({{"SLURM_STEP_NUM_TASKS", "4"}, {"PMIX_RANK", "0"}});
  check({{"SLURM_STEP_NUM_TASKS", "1"}});
  check({{"SLURM_NTASKS", "4"}});  // the script of a job
}

TEST(SrunStarter, PlacesEachWorker) {
  JobSettings job;
  job.program = {"/opt/verbund", "train"};
  job.restart = "1 worker 1 was lost; why";
  const std::string line = shell_line(SrunStarter("7", "").command(job, {{"a", 2}, {"b", 1}}));
  EXPECT_THAT(line, HasSubstr(" srun --mpi=pmix "));
  EXPECT_THAT(line, HasSubstr(" --nodes=2 --ntasks=3 --distribution=arbitrary --nodelist=a,a,b "));
  EXPECT_THAT(line, HasSubstr(" 'VERBUND_RESTART=1 worker 1 was lost; why' "));
  EXPECT_THAT(line, EndsWith(" /opt/verbund train"));
  for (const char* flag : {"if_include", "yield", "--chdir", "--cpus-per-task"})
    EXPECT_THAT(line, Not(HasSubstr(flag)));

  job.interface = "eth1";
  job.folder = "/home/me";
  const std::string more = shell_line(SrunStarter("7", "4").command(job, {{"a", 1}}));
  for (const char* flag : {"OMPI_MCA_btl_tcp_if_include=eth1", "--chdir=/home/me", "--cpus-per-task=4"}) {
    EXPECT_THAT(more, HasSubstr(flag));
  }
}

TEST(LabelledOutput, GivesLinesToTheirWorkers) {
  std::vector<std::string> lines;
  LabelledOutput output([&](const OutputLine& line) {
    lines.push_back(fmt::format("{}{} {}", line.rank, line.is_stdout ? "out" : "err", line.text));
  });
  output.add("00: one\n11: a: 2\n 3:", true);
  output.add("0: half", false);
  output.add(" indented\nsrun: error: x\n1: slurmstepd-b: error: y\n", false);
  output.add("  x\n2: \n4: rest", true);
  output.finish();
  EXPECT_THAT(lines, ElementsAre("0out one", "11out a: 2", "0err half indented", "-1err srun: error: x",
                                 "-1err slurmstepd-b: error: y", "3out  x", "2out ", "4out rest"));
}

TEST(LabelledOutput, JoinsLinesThatSrunHasCut) {
  std::vector<std::string> lines;
  LabelledOutput output([&](const OutputLine& line) { lines.push_back(line.text); });
  const std::string piece(1024, 'x');
  output.add("0: " + piece + "\n1: other\n0: " + piece + "\n0: end\n0: " + piece + "\n0: \n0: next\n1: " + piece, true);
  output.finish();
  EXPECT_THAT(lines, ElementsAre("other", piece + piece + "end", piece, "next", piece));
}

struct Notices : SrunNotices {
  Notices(std::initializer_list<std::string> lines) : SrunNotices({{"a", 2}, {"b", 2}}) {
    for (const std::string& line : lines) {
      for (const std::string& each : add(line)) shown.push_back(each);
    }
  }
  std::vector<std::string> shown;
};

TEST(SrunNotices, TheFirstLossCounts) {
  const Notices notices = {"srun: error: b: task 2: Killed", "srun: error: a: tasks 0-1: Exited with exit code 3",
                           "srun: Job step aborted: Waiting up to 32 seconds for job step to finish."};
  EXPECT_EQ(notices.reason(), "worker 2 on b was killed by signal 9 (Killed)");
  EXPECT_EQ(notices.exit_code(), 137);
  EXPECT_FALSE(notices.was_asked_to_stop());
  EXPECT_THAT(notices.shown, IsEmpty());
}

TEST(SrunNotices, AFailureForGoodCountsMore) {
  const Notices notices = {"srun: error: b: tasks 2-3: Killed", "srun: error: a: task 0: Exited with exit code 1"};
  EXPECT_EQ(notices.reason(), "worker 0 on a ended with exit code 1");
  EXPECT_EQ(notices.exit_code(), 1);
}

TEST(SrunNotices, WorkersThatSlurmAskedToStop) {
  EXPECT_TRUE(Notices({"srun: error: a: tasks 0-1: Exited with exit code 143"}).was_asked_to_stop());
  EXPECT_FALSE(Notices({"srun: error: a: task 0: Terminated"}).was_asked_to_stop()) << "it did not save";
}

TEST(SrunNotices, ShowsWhatItDoesNotKnow) {
  const std::string limit =
      "slurmstepd: error: *** STEP 7.0 ON a CANCELLED AT 2026-11-18T05:09:19 DUE TO TIME LIMIT ***";
  EXPECT_THAT(Notices({limit}).shown, ElementsAre(limit));
  EXPECT_TRUE(Notices({"srun: error: Node failure on b"}).lost_host());
  EXPECT_TRUE(Notices({"slurmstepd: error: execve(): /x: No such file or directory"}).cannot_start());
}

}  // namespace
}  // namespace verbund
