#include "record/metrics_reader.h"

namespace verbund {
namespace {

TEST(FlatObject, ReadsNumbersTextsAndWhatIsNoNumber) {
  std::vector<FlatMember> members;
  ASSERT_TRUE(read_flat_object(
      R"({"step":100, "loss": 2.5e-1,"a":"NaN","b":NaN,"c":"x \" y","d":true,"e":[1,{"f":"]"}],"g":null})", members));
  ASSERT_EQ(members.size(), 8U);
  EXPECT_EQ(members[0].number, 100);
  EXPECT_EQ(members[1].number, 0.25);
  EXPECT_TRUE(std::isnan(members[2].number));
  EXPECT_TRUE(std::isnan(members[3].number));
  EXPECT_EQ(members[4].text, R"(x \" y)");
  EXPECT_EQ(members[5].number, 1);
  EXPECT_EQ(members[6].kind, FlatMember::Kind::kOther);
}

TEST(FlatObject, RefusesWhatIsNone) {
  std::vector<FlatMember> members;
  for (const char* line :
       {"", "{", "[]", "{\"a\":1", "{\"a\" 1}", "{\"a\":1} x", "{\"a\":1x}", "{\"a\":\"", "{\"a\":[}"}) {
    EXPECT_FALSE(read_flat_object(line, members)) << line;
  }
  EXPECT_TRUE(read_flat_object("{}", members));
}

TEST(MetricsReader, TrainingAndEvaluationAreTables) {
  const MetricsReader lines = read_metric_lines(
      R"({"step":0,"time":"2026-02-03T04:05:06Z","dev_loss":9}
{"step":100,"time":"2026-02-03T04:06:06Z","train_loss":5,"learning_rate":0.1}
{"step":200,"time":"2026-02-03T04:07:06Z","train_loss":"NaN","learning_rate":0.2}
{"step":200,"time":"2026-02-03T04:07:16Z","dev_loss":4,"dev_bleu":12.5}
{"step":300,"train_lo)");
  EXPECT_EQ(lines.training.step, (std::vector<int64_t>{100, 200}));
  EXPECT_EQ(lines.evaluations.step, (std::vector<int64_t>{0, 200}));
  EXPECT_EQ(lines.training.time[1] - lines.training.time[0], 60);
  EXPECT_FALSE(is_known(lines.training.column("train_loss")[1]));
  EXPECT_EQ(lines.training.not_finite.at("train_loss"), std::vector<size_t>{1});
  EXPECT_FALSE(is_known(lines.evaluations.column("dev_bleu")[0]));
  EXPECT_EQ(lines.evaluations.last("dev_bleu"), 12.5);
  EXPECT_FALSE(is_known(lines.evaluations.last("no such key")));
  EXPECT_EQ(lines.damaged, 0U);  // the half line is none
}

TEST(MetricsReader, ALineOfAnImportMayBelongToBoth) {
  const MetricsReader lines = read_metric_lines("{\"step\":5,\"train_loss\":2,\"dev_loss\":3}\n");
  EXPECT_EQ(lines.training.last("train_loss"), 2);
  EXPECT_FALSE(lines.training.has("dev_loss"));
  EXPECT_EQ(lines.evaluations.last("dev_loss"), 3);
  EXPECT_FALSE(lines.evaluations.has("train_loss"));
}

TEST(MetricsReader, WhatWasUndoneAndWhatIsDamagedIsCounted) {
  const MetricsReader lines = read_metric_lines(
      "{\"step\":100,\"train_loss\":5,\"time\":2000}\nrubbish\n{\"step\":200,\"train_loss\":\"NaN\"}\n"
      "{\"step\":150,\"train_loss\":4,\"time\":1000}\n");
  EXPECT_EQ(lines.training.step, (std::vector<int64_t>{100, 150}));
  EXPECT_EQ(lines.training.column("train_loss"), (std::vector<double>{5, 4}));
  EXPECT_TRUE(lines.training.not_finite.at("train_loss").empty());
  EXPECT_EQ(lines.damaged, 1U);
  EXPECT_EQ(lines.undone, 1U);
  EXPECT_TRUE(lines.clock_set_back);
}

}  // namespace
}  // namespace verbund
