// SPDX-License-Identifier: Apache-2.0
#include "core/child_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <stdexcept>

namespace verbund {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

constexpr seconds kPatience{20};

int wait_for(ChildProcess& process, std::string& output) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!process.exit_code() && std::chrono::steady_clock::now() < end) output += process.read(milliseconds(10));
  output += process.read(milliseconds(0));
  return process.exit_code().value_or(-1);
}

TEST(ChildProcess, GivesOutputOfBothStreamsAndTheExitCode) {
  ChildProcess process({"sh", "-c", "echo out; echo err >&2; cat; exit 7"});
  std::string output;
  EXPECT_EQ(wait_for(process, output), 7);
  EXPECT_EQ(output, "out\nerr\n");
}

TEST(ChildProcess, KeepsTheStreamsApartIfAsked) {
  ChildProcess process({"sh", "-c", "echo out; echo err >&2; exec >&-; sleep 0.1; echo late >&2"},
                       {.errors = ChildErrors::kApart});
  std::string output, errors;
  while (!process.exit_code()) {
    output += process.read(milliseconds(10));
    errors += process.read_errors();
  }
  errors += process.read_errors();
  EXPECT_EQ(output, "out\n");
  EXPECT_EQ(errors, "err\nlate\n");
}

TEST(RunCommand, GivesOutputAndExitCodeAndDoesNotWaitForEver) {
  const CommandEnd end = run_command({"sh", "-c", "echo out; exit 7"}, kPatience);
  EXPECT_EQ(end.output, "out\n");
  EXPECT_EQ(end.exit_code, 7);
  EXPECT_EQ(run_command({"sleep", "1000"}, seconds(0)).exit_code, 128 + SIGKILL);
}

TEST(ChildProcess, GivesASignalAsAShellDoes) {
  ChildProcess process({"sleep", "1000"});
  EXPECT_FALSE(process.exit_code());
  process.signal(SIGTERM);
  std::string output;
  EXPECT_EQ(wait_for(process, output), 128 + SIGTERM);
}

TEST(ChildProcess, SaysWhyAProgramCannotBeRun) {
  ChildProcess process({"/no/such/program"});
  std::string output;
  EXPECT_EQ(wait_for(process, output), 127);
  EXPECT_THAT(output, HasSubstr("cannot run /no/such/program: No such file or directory"));
}

TEST(ChildProcess, GetsItsInput) {
  const std::string large(1 << 20, 'x');  // more than a pipe holds
  ChildProcess process({"cat"}, {.input = large});
  std::string output;
  while (!process.at_end()) output += process.read(milliseconds(100));
  EXPECT_EQ(process.wait(), 0);
  EXPECT_EQ(output, large);
}

TEST(ChildProcess, HasTheEnvironmentThatItIsGiven) {
  ::setenv("VERBUND_TEST_VARIABLE", "here", 1);
  std::string own, given;
  ChildProcess with_own({"env"});
  ChildProcess with_given({"env"}, {.environment = std::vector<std::string>{"A=1", "B=" + std::string(100, 'b')}});
  EXPECT_EQ(wait_for(with_own, own), 0);
  EXPECT_EQ(wait_for(with_given, given), 0);
  ::unsetenv("VERBUND_TEST_VARIABLE");
  EXPECT_THAT(own, HasSubstr("VERBUND_TEST_VARIABLE=here"));
  EXPECT_EQ(given, "A=1\nB=" + std::string(100, 'b') + "\n");
}

TEST(ChildProcess, HasLimits) {
  ChildProcess limited({"sh", "-c", "ulimit -v; ulimit -c; while :; do :; done"},
                       {.memory = 1 << 30, .processor_time = seconds(1)});
  std::string output;
  const int code = wait_for(limited, output);
  EXPECT_EQ(output, "1048576\n0\n");
  EXPECT_TRUE(code == 128 + SIGXCPU || code == 128 + SIGKILL) << code;
}

TEST(ChildProcess, RunsAFunction) {
  int here = 1;
  ChildProcess process([&here] {
    here = 2;
    ::dprintf(STDERR_FILENO, "said");
    return 5;
  });
  std::string output;
  EXPECT_EQ(wait_for(process, output), 5);
  EXPECT_EQ(output, "said");
  EXPECT_EQ(here, 1) << "it has a copy";
}

TEST(ChildProcess, AnExceptionOfAFunctionEndsItAlone) {
  ChildProcess process([]() -> int { throw std::runtime_error("broken"); });
  std::string output;
  EXPECT_EQ(wait_for(process, output), 1);
  EXPECT_EQ(output, "broken\n");
}

TEST(ChildProcess, IsKilledWithItsOwnerInOneGroupOrTwo) {
  for (const bool own_group : {true, false}) {
    pid_t id = 0;
    {
      ChildProcess process({"sh", "-c", "echo $$; exec sleep 1000"}, {.own_group = own_group});
      std::string output;
      while (output.find('\n') == std::string::npos && !process.at_end()) output += process.read(milliseconds(100));
      id = std::stoi(output);
      EXPECT_EQ(::getpgid(id) == id, own_group);
    }
    EXPECT_NE(::kill(id, 0), 0);
  }
}

TEST(ChildProcess, LeftoversOfADeadChildAreEnded) {
  adopt_orphans();
  std::string output;
  ChildProcess process({"sh", "-c", "setsid sleep 1000 & echo $!"});
  EXPECT_EQ(wait_for(process, output), 0);
  const pid_t orphan = std::stoi(output);
  ASSERT_EQ(::kill(orphan, 0), 0) << "it must still run";
  end_leftover_children(milliseconds(100));
  EXPECT_NE(::kill(orphan, 0), 0);
}

}  // namespace
}  // namespace verbund
