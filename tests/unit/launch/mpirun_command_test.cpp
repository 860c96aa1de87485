// SPDX-License-Identifier: Apache-2.0
#include "launch/mpirun_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/human.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

JobSettings settings() {
  JobSettings settings;
  settings.program = {"/opt/verbund", "train", "--run", "runs/my run"};
  return settings;
}

std::string line(const JobSettings& settings, const MpirunSettings& mpirun = {}) {
  return shell_line(mpirun_command(mpirun, settings, {{"a", 2}, {"b", 1}}));
}

TEST(MpirunCommand, HasWorkersHostsAndProgram) {
  EXPECT_THAT(line(settings()), StartsWith("mpirun -n 3 -H a:2,b:1 "));
  EXPECT_THAT(line(settings()), EndsWith(" /opt/verbund train --run 'runs/my run'"));
  EXPECT_THAT(line(settings()), HasSubstr(" --map-by slot --bind-to none --tag-output "));
}

TEST(MpirunCommand, HasWhatWasNotAskedForOnlyWhenItWas) {
  for (const char* flag : {"allow-run-as-root", "if_include", "rsh_agent", "yield", "-x", "--wdir"}) {
    EXPECT_THAT(line(settings()), Not(HasSubstr(flag)));
  }
  JobSettings all = settings();
  all.interface = "eth1";
  all.share_cores = true;
  all.environment = {"OMP_NUM_THREADS"};
  all.folder = "/home/me";
  all.terminal = "status";
  MpirunSettings mpirun;
  mpirun.as_root = true;
  mpirun.rsh_agent = "ssh -p 2222";
  all.restart = "1 worker 1 was lost; why";
  all.continues = true;
  for (const char* flags :
       {" --allow-run-as-root ", " --mca btl_tcp_if_include eth1 ", " --mca oob_tcp_if_include eth1 ",
        " --mca plm_rsh_agent 'ssh -p 2222' ", " --mca mpi_yield_when_idle 1 ", " -x OMP_NUM_THREADS ",
        " -x VERBUND_TERMINAL=status ", " -x 'VERBUND_RESTART=1 worker 1 was lost, why' ", " -x VERBUND_CONTINUE=1 ",
        " --wdir /home/me "}) {
    EXPECT_THAT(line(all, mpirun), HasSubstr(flags));
  }
}

TEST(MpirunCommand, LeavesToTheUserWhatTheUserSets) {
  MpirunSettings own;
  own.args = {"--mca", "odls_base_sigkill_timeout", "9"};
  EXPECT_THAT(line(settings(), own), HasSubstr(" --mca odls_base_sigkill_timeout 9 /opt/verbund train "));
  EXPECT_THAT(line(settings(), own), Not(HasSubstr("odls_base_sigkill_timeout 1")));
  EXPECT_THAT(line(settings()), HasSubstr("odls_base_sigkill_timeout 1"));
}

TEST(MpirunCommand, PassesVariablesOfTheProgramAndItsThreads) {
  const char* const environment[] = {
      "PATH=/bin",       "OMP_NUM_THREADS=2",       "VERBUND_X=a=b",        "GOMP_SPINCOUNT=1",
      "NCCL_DEBUG=INFO", "VIRTUAL_ENV=/x",          "VIRTUAL_ENV_PROMPT=x", "MY_OMP_THING=",
      "VERBUND=build",   "VERBUND_TERMINAL=status", "VERBUND_RESTART=1 x",  nullptr};
  EXPECT_THAT(passed_variables(environment),
              ElementsAre("GOMP_SPINCOUNT", "NCCL_DEBUG", "OMP_NUM_THREADS", "VERBUND_X", "VIRTUAL_ENV"));
}

TEST(ShellLine, QuotesWhatAShellWouldUnderstandOtherwise) {
  EXPECT_EQ(shell_line({"a", "", "b c", "it's", "$x", "k=v,1:2"}), R"(a '' 'b c' 'it'\''s' '$x' k=v,1:2)");
}

}  // namespace
}  // namespace verbund
