// SPDX-License-Identifier: Apache-2.0
#include "record/metrics_reader.h"

#include <gtest/gtest.h>

namespace verbund {
namespace {

TEST(MetricsReader, ReadsNumbersAndWhatStandsForOne) {
  const MetricsReader metrics(
      R"({"step":100, "loss": 2.5e-1,"a":"NaN","b":NaN,"c":"x \" y","d":true,"e":[1,{"f":"]"}],"g":null,"h": -Infinity })"
      "\n");
  const MetricTable& table = metrics.training;
  ASSERT_EQ(table.step, std::vector<int64_t>{100});
  EXPECT_EQ(table.last("loss"), 0.25);
  EXPECT_EQ(table.last("d"), 1);
  for (const char* key : {"a", "b", "h"}) EXPECT_EQ(table.not_finite.at(key), std::vector<size_t>{0}) << key;
  for (const char* key : {"c", "e", "f", "g"}) EXPECT_FALSE(table.columns.contains(key)) << key;
}

TEST(MetricsReader, LinesThatAreNotObjectsWithAStepAreDamaged) {
  for (const std::string line : {"", "{", "[]", "7", "\"a\"", "{}", "{\"step\":1", "{\"step\" 1}", "{\"step\":1} x",
                                 "{\"step\":1x}", "{\"step\":\"", "{\"step\":1,\"a\":[}", "{\"step\":-1}"}) {
    const MetricsReader metrics(line + "\n");
    EXPECT_EQ(metrics.damaged, 1U) << line;
    EXPECT_EQ(metrics.training.rows(), 0U) << line;
  }
}

TEST(MetricsReader, TrainingAndEvaluationAreTables) {
  const MetricsReader lines(
      R"({"step":0,"time":"2026-02-03T04:05:06Z","dev_loss":9}
{"step":100,"time":"2026-02-03T04:06:06Z","train_loss":5,"learning_rate":0.1}
{"step":200,"time":"2026-02-03T04:07:06Z","train_loss":"NaN","learning_rate":0.2,"gradient_norm":null}
{"step":200,"time":"2026-02-03T04:07:16Z","dev_loss":4,"dev_bleu":12.5}
{"step":300,"train_lo)");
  EXPECT_EQ(lines.training.step, (std::vector<int64_t>{100, 200}));
  EXPECT_EQ(lines.evaluations.step, (std::vector<int64_t>{0, 200}));
  EXPECT_EQ(lines.training.time[1] - lines.training.time[0], 60);
  EXPECT_FALSE(is_known(lines.training.column("train_loss")[1]));
  EXPECT_EQ(lines.training.not_finite.at("train_loss"), std::vector<size_t>{1});
  EXPECT_EQ(lines.training.not_finite.at("gradient_norm"), std::vector<size_t>{1});
  EXPECT_FALSE(is_known(lines.evaluations.column("dev_bleu")[0]));
  EXPECT_EQ(lines.evaluations.last("dev_bleu"), 12.5);
  EXPECT_FALSE(is_known(lines.evaluations.last("no such key")));
  EXPECT_EQ(lines.damaged, 0U);  // the half line is none
}

TEST(MetricsReader, ALineOfAnImportMayBelongToBoth) {
  const MetricsReader lines("{\"step\":5,\"train_loss\":2,\"dev_loss\":3}\n");
  EXPECT_EQ(lines.training.last("train_loss"), 2);
  EXPECT_FALSE(lines.training.has("dev_loss"));
  EXPECT_EQ(lines.evaluations.last("dev_loss"), 3);
  EXPECT_FALSE(lines.evaluations.has("train_loss"));
}

TEST(MetricsReader, WhatWasUndoneAndWhatIsDamagedIsCounted) {
  const MetricsReader lines(
      "{\"step\":100,\"train_loss\":5,\"time\":2000}\nrubbish\n{\"step\":200,\"train_loss\":\"NaN\"}\n"
      "{\"step\":150,\"train_loss\":4,\"time\":1000}\n");
  EXPECT_EQ(lines.training.step, (std::vector<int64_t>{100, 150}));
  EXPECT_EQ(lines.training.column("train_loss"), (std::vector<double>{5, 4}));
  EXPECT_TRUE(lines.training.not_finite.at("train_loss").empty());
  EXPECT_EQ(lines.damaged, 1U);
  EXPECT_EQ(lines.undone, 1U);
  EXPECT_TRUE(lines.clock_set_back);
}

TEST(MetricsReader, GrowsByWhatIsAddedAsIfItHadReadAllAtOnce) {
  std::string text;
  for (int step = 1; step <= 40; ++step) {
    text += fmt::format("{{\"step\":{},\"train_loss\":{},\"rank{}\":1}}\n", step, 1.0 / step, step % 7);
    if (step % 10 == 0) text += fmt::format("{{\"step\":{},\"dev_bleu\":{}}}\n", step, step);
  }
  text += "{\"step\":25,\"train_loss\":7}\n{\"step\":25,\"dev_bleu\":5}\ndamaged\n";
  const MetricsReader whole(text);
  MetricsReader grown;
  for (std::string_view rest = text; !rest.empty();) {
    const size_t line = rest.find('\n') + 1;
    grown.add(rest.substr(0, line));
    rest.remove_prefix(line);
  }
  EXPECT_EQ(grown.training.step, whole.training.step);
  EXPECT_EQ(grown.training.step.back(), 25);
  EXPECT_EQ(grown.evaluations.step, (std::vector<int64_t>{10, 20, 25}));
  EXPECT_EQ(grown.evaluations.step, whole.evaluations.step);
  EXPECT_EQ(grown.undone, whole.undone);
  EXPECT_EQ(grown.damaged, 1U);
  for (const auto& [key, values] : whole.training.columns) {
    const std::vector<double>& other = grown.training.columns.at(key);
    ASSERT_EQ(other.size(), values.size()) << key;
    for (size_t i = 0; i < values.size(); ++i) EXPECT_TRUE(other[i] == values[i] || !is_known(values[i])) << key;
  }
}

}  // namespace
}  // namespace verbund
