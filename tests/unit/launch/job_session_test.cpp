// SPDX-License-Identifier: Apache-2.0
// JobSession on the output of a program that prints what mpirun would.
#include "launch/job_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/status.h"
#include "launch/mpirun_starter.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;

struct Session {
  bool all_started;
  bool lost_worker;
  int rank_of_lost;
  std::vector<std::string> heard;  // of workers
};

class Printer : public MpirunStarter {
 public:
  explicit Printer(std::string output) : MpirunStarter({}), output_(std::move(output)) {}
  std::vector<std::string> command(const JobSettings&, const std::vector<Host>&) const override {
    return {"printf", "%s", output_};
  }

 private:
  std::string output_;
};

Session after(const std::string& output) {
  Session session;
  JobSession job(Printer(output), {}, {{"a", 1}, {"b", 1}},
                 [&](const OutputLine& line) { session.heard.push_back(line.text); });
  while (job.listen()) {
  }
  session.all_started = job.all_started();
  session.lost_worker = job.lost_worker();
  session.rank_of_lost = job.rank_of_lost();
  return session;
}

TEST(JobSessionTest, LearnsOfALossFromTheRecordOfAWorker) {
  const Session session = after("[1,0]<stderr>:gone\n[1,0]<stderr>:" + marked_record({WorkerEvent::kLost, 1}) +
                                "\n[1,0]<stderr>:" + marked_record({WorkerEvent::kLost, 0}) + "\n");
  EXPECT_TRUE(session.lost_worker);
  EXPECT_EQ(session.rank_of_lost, 1) << "the first counts";
  EXPECT_THAT(session.heard, ElementsAre("gone")) << "records are not shown";
}

TEST(JobSessionTest, WhoIsLostNeedNotBeKnown) {
  const Session session = after("[1,0]<stderr>:" + marked_record({WorkerEvent::kLost, -1}) + "\n");
  EXPECT_TRUE(session.lost_worker);
  EXPECT_EQ(session.rank_of_lost, -1);
}

TEST(JobSessionTest, AllHaveStartedWhenEachHasToldSo) {
  const auto started = [](int rank) {
    return fmt::format("[1,{}]<stderr>:{}\n", rank, marked_record({WorkerEvent::kStarted, rank}));
  };
  EXPECT_FALSE(after("").all_started);
  EXPECT_FALSE(after(started(1) + started(1)).all_started);
  const Session session = after(started(1) + started(0));
  EXPECT_TRUE(session.all_started);
  EXPECT_FALSE(session.lost_worker);
  EXPECT_THAT(session.heard, ElementsAre());
}

TEST(JobSessionTest, WordsAreForPeople) {
  const Session session = after("[1,0]<stderr>:verbund: lost worker 1 on b: it ended without a word\n");
  EXPECT_FALSE(session.lost_worker);
  EXPECT_THAT(session.heard, ElementsAre("verbund: lost worker 1 on b: it ended without a word"));
}

}  // namespace
}  // namespace verbund
