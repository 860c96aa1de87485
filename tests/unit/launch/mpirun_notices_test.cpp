#include "launch/mpirun_notices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string kRule(74, '-');

class MpirunNoticesTest : public ::testing::Test {
 protected:
  // What is shown of it.
  std::vector<std::string> say(const std::string& text) {
    std::vector<std::string> shown;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      for (const std::string& out : notices_.add(line)) shown.push_back(out);
    }
    return shown;
  }

  std::string paragraph(const std::string& text) { return kRule + "\n" + text + kRule + "\n"; }

  MpirunNotices notices_{{{"a", 1}, {"b", 1}}};
};

TEST_F(MpirunNoticesTest, NamesAWorkerThatWasKilled) {
  EXPECT_THAT(say(paragraph("Primary job  terminated normally, but 1 process returned\n"
                            "a non-zero exit code. Per user-direction, the job has been aborted.\n") +
                  paragraph("mpirun noticed that process rank 1 with PID 0 on node vm exited on signal 9 (Killed).\n")),
              IsEmpty());
  EXPECT_EQ(notices_.reason(), "worker 1 on b was killed by signal 9 (Killed)");
  EXPECT_EQ(notices_.exit_code(), 137);
  EXPECT_FALSE(notices_.lost_host());
}

TEST_F(MpirunNoticesTest, NamesAWorkerThatEndedWithAnError) {
  EXPECT_THAT(say(paragraph("mpirun detected that one or more processes exited with non-zero status, thus causing\n"
                            "the job to be terminated. The first process to do so was:\n\n"
                            "  Process name: [[31739,1],0]\n  Exit code:    3\n")),
              IsEmpty());
  EXPECT_EQ(notices_.reason(), "worker 0 on a ended with exit code 3");
  EXPECT_EQ(notices_.exit_code(), 3);
}

TEST_F(MpirunNoticesTest, NamesAHostThatIsLost) {
  EXPECT_THAT(say(paragraph("ORTE has lost communication with a remote daemon.\n\n"
                            "  HNP daemon   : [[29427,0],0] on node a\n  Remote daemon: [[29427,0],1] on node b\n\n"
                            "This is usually due to either a failure of the TCP network\n")),
              IsEmpty());
  EXPECT_EQ(notices_.reason(), "the connection to host b is lost");
  EXPECT_TRUE(notices_.lost_host());
}

TEST_F(MpirunNoticesTest, RemembersAHostThatNoDaemonCouldBeStartedOn) {
  say("ssh: no route\n" + paragraph("ORTE was unable to reliably start one or more daemons.\n"));
  EXPECT_TRUE(notices_.lost_host());
  EXPECT_FALSE(notices_.cannot_start());
}

TEST_F(MpirunNoticesTest, RemembersAMissingProgram) {
  say(
      paragraph("mpirun was unable to launch the specified application as it could not access\nor execute an "
                "executable:\n"));
  EXPECT_TRUE(notices_.cannot_start());
}

TEST_F(MpirunNoticesTest, ShowsAllElse) {
  EXPECT_THAT(say("plain\n" + kRule + "\nbegun\n"), ElementsAre("plain"));
  EXPECT_THAT(notices_.finish(), ElementsAre("begun"));
  EXPECT_EQ(notices_.reason(), "");
  EXPECT_EQ(notices_.exit_code(), std::nullopt);
}

}  // namespace
}  // namespace verbund
