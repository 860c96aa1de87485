// SPDX-License-Identifier: Apache-2.0
#include "import/openseq2seq_lines.h"

#include <gtest/gtest.h>

#include <cmath>

namespace verbund {
namespace {

using ::testing::ElementsAre;
using Part = SampleLine::Part;

TEST(OpenSeq2SeqLines, Steps) {
  const auto line = parse_step_line("*** Global step 3200: ***     Train loss: 2.7368 ");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->step, 3200);
  EXPECT_EQ(line->loss, 2.7368);
  EXPECT_TRUE(std::isnan(parse_step_line("*** Global step 1: ***     Train loss: nan ")->loss));
  EXPECT_TRUE(std::isinf(parse_step_line("*** Global step 1: ***     Train loss: inf ")->loss));
  for (const char* damaged :
       {"*** Global step 3200: ***     Train lo", "*** Global step 32", "*** Global step x: Train loss: 1",
        "*** Global step 3200: ***     Train loss: 2.7*** Glo x", "*** Global step -1: Train loss: 1"}) {
    const auto found = parse_step_line(damaged);
    EXPECT_TRUE(!found || found->loss == 2.7) << damaged;
  }
}

TEST(OpenSeq2SeqLines, TimePerStep) {
  EXPECT_DOUBLE_EQ(*parse_time_per_step("time per step = 0:00:1.617"), 1.617);
  EXPECT_DOUBLE_EQ(*parse_time_per_step("time per step = 1:02:3.5"), 3723.5);
  for (const char* damaged :
       {"time per step = ", "time per step = 0:00", "time per step = 0:x:1", "time per step = 0:00:-1"}) {
    EXPECT_FALSE(parse_time_per_step(damaged)) << damaged;
  }
}

TEST(OpenSeq2SeqLines, HostsAndClock) {
  const auto line = parse_nccl_line("v100y:279:352 [1] NCCL INFO rank 3 nranks 4");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->host, "v100y");
  EXPECT_EQ(line->rank, 3);
  EXPECT_EQ(line->workers, 4);
  EXPECT_FALSE(parse_nccl_line("v100y:279:352 [1] NCCL INFO rank 9 nranks 4"));
  EXPECT_FALSE(parse_nccl_line("v100y:279:352 [1] NCCL INFO comm 0x7f rank 3 nranks 4"));
  EXPECT_EQ(parse_clock("2020-06-26 15:36:42.835076: I tensorflow/stream"), "2020-06-26 15:36:42");
  EXPECT_FALSE(parse_clock("2020-06-26 somewhen: I tensorflow/stream"));
}

TEST(OpenSeq2SeqLines, PiecesBecomeText) {
  EXPECT_EQ(text_of_pieces("<s> ▁The ▁open ness , ▁too . </s> . . ,"), "The openness, too.");
  EXPECT_EQ(text_of_pieces("<s> <s> ▁der </s>"), "der");
  EXPECT_EQ(text_of_pieces("<s> the words </s>"), "the words");
  EXPECT_EQ(text_of_pieces(""), "");
}

TEST(OpenSeq2SeqLines, Samples) {
  const auto line = parse_sample_line("***     *****EVAL Target[0]:     <s> ▁Ja </s>");
  ASSERT_TRUE(line);
  EXPECT_FALSE(line->training);
  EXPECT_EQ(line->part, Part::kTarget);
  EXPECT_EQ(line->pieces, "<s> ▁Ja </s>");
  EXPECT_TRUE(parse_sample_line("***     Train Source[0]:     <s> a")->training);
  EXPECT_FALSE(parse_sample_line("***     Train Sour"));
}

// Lines of two workers that are mixed belong to nobody.
TEST(SampleGroups, MixedLinesAreLeftOut) {
  std::vector<ImportedSample> samples;
  SampleGroups groups(samples);
  const auto add = [&](std::initializer_list<const char*> words) {
    for (const char* word : words) {
      const Part part = word[0] == 's' ? Part::kSource : word[0] == 't' ? Part::kTarget : Part::kPrediction;
      groups.add({false, part, word}, 7);
    }
  };
  add({"s1", "t1", "p1"});
  add({"s2", "s3", "t2", "p2", "t3", "p3"});  // s3, t2, p2 follow each other, but are not of one sample
  add({"s4", "t4", "p4", "s5", "t5"});
  groups.end();  // p5 never came
  add({"s6", "t6", "p6"});
  std::vector<std::string> found;
  for (const ImportedSample& s : samples) found.push_back(s.source + s.reference + s.prediction);
  EXPECT_THAT(found, ElementsAre("s1t1p1", "s4t4p4", "s6t6p6"));
  EXPECT_EQ(groups.mixed(), 8u);
  EXPECT_EQ(samples[0].step, 7);
  EXPECT_EQ(samples[0].split, "dev");
}

TEST(Failure, IsTheExceptionWithoutItsModule) {
  EXPECT_EQ(parse_failure("tensorflow.python.framework.errors_impl.ResourceExhaustedError: OOM when allocating"),
            "ResourceExhaustedError: OOM when allocating");
  EXPECT_EQ(parse_failure("ResourceExhaustedError (see above for traceback): OOM"), "ResourceExhaustedError: OOM");
  EXPECT_EQ(parse_failure("[1,3]<stderr>:ValueError: no such file"), "ValueError: no such file");
  EXPECT_EQ(parse_failure("KeyboardInterrupt"), "KeyboardInterrupt");
  EXPECT_TRUE(parse_failure("mpirun noticed that process rank 1 with PID 7 on node a exited on signal 9 (Killed)."));
  for (const char* other : {"", "Traceback (most recent call last):", "  raise ValueError: x", "Errors: none",
                            "*** Global step 1: *** Train loss: 2 ValueError: 1", "ErrorPolicy is on"}) {
    EXPECT_FALSE(parse_failure(other)) << other;
  }
}

TEST(EvaluationStep, FollowsFromTheStepsAroundIt) {
  const auto step = [](PrintedAround printed) {
    const EvaluationStep found = find_evaluation_step(printed);
    return found.certain ? found.step : -found.step - 1;
  };
  EXPECT_EQ(step({{}, 0, 4001, 100, {}}), 0) << "before all";
  EXPECT_EQ(step({4000, 4100, 4001, 100, {}}), 4001);
  EXPECT_EQ(step({100, 200, 100, 100, {}}), 200) << "before the line of its own step";
  EXPECT_EQ(step({16000, {}, 4001, 100, {}}), 16004) << "at the end of the log";
  EXPECT_EQ(step({16000, 4100, 4001, 100, {}}), 16004) << "training begins again after it";
  EXPECT_EQ(step({900, {}, 400, 100, 1000}), 1000) << "at the end of training";
  EXPECT_EQ(step({{}, 4100, 4001, 100, {}}), 4001) << "a log that begins with a resumed training";
  EXPECT_EQ(step({4000, 4100, {}, 100, {}}), -4001) << "without the configuration it is a guess";
  EXPECT_EQ(step({4200, 4300, 4001, 100, {}}), -4201);
}

}  // namespace
}  // namespace verbund
