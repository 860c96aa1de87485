// SPDX-License-Identifier: Apache-2.0
#include "record/metrics_writer.h"

#include <gmock/gmock.h>

#include "core/file.h"
#include "evaluate/evaluation.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

using ::testing::HasSubstr;

TEST(MetricsWriter, ARunGoesOnInIt) {
  TemporaryFolder folder;
  for (const int64_t step : {1, 2}) {
    MetricsWriter file(folder.path(), step);
    file.begin(step - 1);
    file.metrics({{"step", step}});
  }
  EXPECT_EQ(read_file(folder / "metrics.jsonl"), "{\"step\":1,\"start\":1}\n{\"step\":2,\"start\":2}\n");
}

// The label-smoothed loss has a name that says so; the older key stays.
TEST(MetricsWindow, BothLossesHaveTheirNames) {
  MetricsWindow window(1);
  StepSeen seen;
  seen.step = 1;
  seen.loss = {.smoothed = 60, .cross_entropy = 80, .tokens = 10, .correct = 1};
  seen.times.seconds = 1;
  window.add(seen);
  const Json line = window.take(seen);
  EXPECT_EQ(line.at("train_smoothed_loss"), 6);
  EXPECT_EQ(line.at("train_loss"), 6);
  EXPECT_EQ(line.at("train_cross_entropy"), 8);

  Evaluation dev;
  dev.loss = dev.probe.emplace(seen.loss);
  const TestSet set;
  const Json evaluated = metrics_line({1, 1, dev, set});
  for (const char* key : {"dev_smoothed_loss", "dev_loss", "probe_smoothed_loss", "probe_loss"}) {
    EXPECT_EQ(evaluated.at(key), 6) << key;
  }
  EXPECT_EQ(evaluated.at("dev_cross_entropy"), 8);
}

TEST(MetricsWriter, ForgetsWhatARunWillMakeAgain) {
  TemporaryFolder folder;
  const fs::path path = folder / "metrics.jsonl";
  MetricsWriter(folder.path(), 0).begin(5);                  // there is nothing yet
  write_file(path, "{\"step\": 5}\n{\"step\": 6}\n{\"ste");  // the last one was cut
  testing::internal::CaptureStderr();
  MetricsWriter(folder.path(), 0).begin(5);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(read_file(path), "{\"step\": 5}\n");
  MetricsWriter(folder.path(), 0).begin(-1);
  EXPECT_EQ(read_file(path), "");
}

// A run that is stopped in an evaluation repeats it when it resumes, as often as it is killed before the next save.
TEST(MetricsWriter, ARepeatedEvaluationReplacesTheEarlierOne) {
  TemporaryFolder folder;
  const fs::path path = folder / "metrics.jsonl";
  write_file(path, R"({"step":2,"dev_loss":9,"start":0})"
                   "\n"
                   R"({"step":4,"train_loss":5,"start":0})"
                   "\n");
  for (const int64_t start : {1, 2, 3}) {
    MetricsWriter file(folder.path(), start);
    file.begin(4);
    file.metrics({{"step", 4}, {"dev_loss", 7}});
    file.metrics({{"step", 5}, {"train_loss", 4}});
    file.metrics({{"step", 6}, {"dev_loss", 6}});
  }
  EXPECT_EQ(read_file(path), R"({"step":2,"dev_loss":9,"start":0})"
                             "\n"
                             R"({"step":4,"train_loss":5,"start":0})"
                             "\n"
                             R"({"step":4,"dev_loss":7,"start":3})"
                             "\n"
                             R"({"step":5,"train_loss":4,"start":3})"
                             "\n"
                             R"({"step":6,"dev_loss":6,"start":3})"
                             "\n");
}

// The earlier one stays until then: the run may not evaluate that step again.
TEST(MetricsWriter, AnEvaluationThatIsNotRepeatedStays) {
  TemporaryFolder folder;
  const fs::path path = folder / "metrics.jsonl";
  write_file(path, "{\"step\":4,\"dev_loss\":7}\n");
  MetricsWriter file(folder.path(), 1);
  file.begin(4);
  file.metrics({{"step", 5}, {"train_loss", 4}});
  EXPECT_EQ(read_file(path), "{\"step\":4,\"dev_loss\":7}\n{\"step\":5,\"train_loss\":4,\"start\":1}\n");
}

TEST(MetricsWriter, DamagedLinesAreNamedAndKeptAside) {
  TemporaryFolder folder;
  const fs::path path = folder / "metrics.jsonl";
  const std::string damaged = "{\"step\": 1}\n{\"step\": \"two\"}\nthree\n{\"step\": 4}\n";
  write_file(path, damaged);
  testing::internal::CaptureStderr();
  MetricsWriter(folder.path(), 0).begin(5);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr(path.string()), HasSubstr("2 lines"), HasSubstr("line 2"), HasSubstr(".damaged")));
  EXPECT_EQ(read_file(path), "{\"step\": 1}\n{\"step\": 4}\n");
  EXPECT_EQ(read_file(folder / "metrics.jsonl.damaged"), damaged);
}

}  // namespace
}  // namespace verbund
