// SPDX-License-Identifier: Apache-2.0
#include "launch/mpirun_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "core/status.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// "1 err text" for each line, in order; `step` bytes arrive at a time.
std::vector<std::string> lines_of(const std::string& stream, size_t step) {
  std::vector<std::string> lines;
  TaggedOutput output([&](const OutputLine& line) {
    lines.push_back(fmt::format("{} {} {}", line.rank, line.is_stdout ? "out" : "err", line.text));
  });
  for (size_t i = 0; i < stream.size(); i += step) output.add(std::string_view(stream).substr(i, step));
  output.finish();
  return lines;
}

TEST(TaggedOutput, TellsWhoWroteALine) {
  for (const size_t step : {1, 7, 1000}) {
    EXPECT_THAT(lines_of("[1,0]<stderr>:step 1\n[1,12]<stdout>:x\nssh: no route\n[1,0]<stderr>:\n", step),
                ElementsAre("0 err step 1", "12 out x", "-1 err ssh: no route", "0 err "));
  }
}

TEST(TaggedOutput, PutsPiecesTogetherAgain) {
  const std::string stream =
      "[1,0]<stderr>:one[1,0]<stderr>: two[1,1]<stderr>:other\n"
      "[1,1]<stderr>:next\n"
      "[1,0]<stderr>: three[1,0]<stderr>:\n";
  for (const size_t step : {1, 5, 1000}) {
    EXPECT_THAT(lines_of(stream, step), ElementsAre("1 err other", "1 err next", "0 err one two three"));
  }
}

TEST(TaggedOutput, KeepsTextThatOnlyLooksLikeATag) {
  EXPECT_THAT(lines_of("[1,0]<stderr>:loss[1,2] [a,b]<stderr>: [1,-2]<stderr>:\n[1,x]\n", 1000),
              ElementsAre("0 err loss[1,2] [a,b]<stderr>: [1,-2]<stderr>:", "-1 err [1,x]"));
}

TEST(TaggedOutput, KeepsALastLineWithoutEnd) {
  EXPECT_THAT(lines_of("[1,1]<stderr>:begun[1,0]<stderr>:the end", 3), ElementsAre("0 err the end", "1 err begun"));
}

TEST(TaggedOutput, AStatusOfAWorkerStaysALineOfItsOwn) {
  const Status status = {0.25, "step 10 of 40, 3 min 10 s left"};
  const std::string stream =
      fmt::format("[1,0]<stderr>:{}\n[1,0]<stderr>:step 10\n[1,0]<stderr>:{}\n", marked_status(status), kStatusMark);
  for (const size_t step : {1, 7, 1000}) {
    std::vector<std::string> shown;
    TaggedOutput output([&](const OutputLine& line) {
      const auto drawn = parse_marked_status(line.text);
      shown.push_back(!drawn           ? line.text
                      : drawn->empty() ? "(removed)"
                                       : fmt::format("({}) {}", drawn->share, drawn->text));
    });
    for (size_t i = 0; i < stream.size(); i += step) output.add(std::string_view(stream).substr(i, step));
    EXPECT_THAT(shown, ElementsAre("(0.25) " + status.text, "step 10", "(removed)"));
  }
}

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
