#include "launch/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <thread>

namespace verbund {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

constexpr seconds kPatience{20};

int wait_for(Process& process, std::string& output) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!process.exit_code() && std::chrono::steady_clock::now() < end) output += process.read(milliseconds(10));
  output += process.read(milliseconds(0));
  return process.exit_code().value_or(-1);
}

TEST(Process, GivesOutputOfBothStreamsAndTheExitCode) {
  Process process({"sh", "-c", "echo out; echo err >&2; cat; exit 7"});
  std::string output;
  EXPECT_EQ(wait_for(process, output), 7);
  EXPECT_EQ(output, "out\nerr\n");
}

TEST(Process, GivesASignalAsAShellDoes) {
  Process process({"sleep", "1000"});
  EXPECT_FALSE(process.exit_code());
  process.signal(SIGTERM);
  std::string output;
  EXPECT_EQ(wait_for(process, output), 128 + SIGTERM);
}

TEST(Process, SaysWhyAProgramCannotBeRun) {
  Process process({"/no/such/program"});
  std::string output;
  EXPECT_EQ(wait_for(process, output), 127);
  EXPECT_THAT(output, HasSubstr("cannot run /no/such/program: No such file or directory"));
}

TEST(Process, LeftoversOfADeadChildAreEnded) {
  adopt_orphans();
  std::string output;
  Process process({"sh", "-c", "setsid sleep 1000 & echo $!"});
  EXPECT_EQ(wait_for(process, output), 0);
  const pid_t orphan = std::stoi(output);
  ASSERT_EQ(::kill(orphan, 0), 0) << "it must still run";
  end_leftover_children(milliseconds(100));
  EXPECT_NE(::kill(orphan, 0), 0);
}

}  // namespace
}  // namespace verbund
