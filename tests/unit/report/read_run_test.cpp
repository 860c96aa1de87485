// SPDX-License-Identifier: Apache-2.0
#include "report/run_data.h"

#include <fstream>

#include "core/file.h"
#include "record/step_records.h"
#include "report/run_parts.h"
#include "report/run_reader.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

using testing::Contains;
using testing::HasSubstr;

StepRecord record(int64_t step, uint32_t start) {
  StepRecord made;
  made.step = step;
  made.start = start;
  made.began = 1000.0 + 100 * start + static_cast<double>(step);
  made.seconds = 1;
  return made;
}

constexpr const char* kRunJson = R"({"format":"verbund-run","version":1,"id":"x","start_count":2,"dataset":{},"starts":[
  {"time":"1970-01-01T00:16:40Z","step":0,"command":["verbund","train"],
   "stop":{"reason":"killed, or the machine went down","last_sign_of_life":"1970-01-01T00:16:50Z"}},
  {"time":"1970-01-01T00:18:20Z","step":2,"command":["verbund","train"],
   "hosts":[{"host":"a","cores":4,"workers":[0]},{"host":"b","cores":4,"workers":[1]}]}]})";

TEST(KeptRecords, WhatComesAgainLaterIsUndone) {
  std::vector<StepRecord> records;
  for (const int64_t step : {1, 2, 3, 4}) records.push_back(record(step, 0));
  for (const int64_t step : {3, 4, 5}) records.push_back(record(step, 1));
  for (const int64_t step : {5, 6}) records.push_back(record(step, 2));
  EXPECT_EQ(kept_records(records), (std::vector<Interval>{{0, 2}, {4, 6}, {7, 9}}));
  EXPECT_TRUE(kept_records({}).empty());
}

TEST(KeptRecords, GrownOnesAreThoseOfAllRecords) {
  std::vector<StepRecord> records;
  for (const int64_t step : {1, 2, 3, 4, 3, 4, 5, 5, 6, 2, 3, 3, 9, 8, 1, 2, 7}) records.push_back(record(step, 0));
  const std::span<const StepRecord> all(records);
  for (size_t first = 0; first <= all.size(); ++first) {
    for (size_t second = first; second <= all.size(); ++second) {
      std::vector<Interval> kept;
      extend_kept_records(kept, all.first(first), 0);
      extend_kept_records(kept, all.first(second), first);
      extend_kept_records(kept, all, second);
      EXPECT_EQ(kept, kept_records(all)) << first << " " << second;
    }
  }
}

void expect_same(const RunData& grown, const RunData& anew) {
  for (const auto table : {&RunData::training, &RunData::evaluations}) {
    EXPECT_EQ((grown.*table).step, (anew.*table).step);
    EXPECT_EQ((grown.*table).not_finite, (anew.*table).not_finite);
    ASSERT_EQ((grown.*table).columns.size(), (anew.*table).columns.size());
    for (const auto& [key, values] : (anew.*table).columns) {
      const std::vector<double>& others = (grown.*table).columns.at(key);
      EXPECT_TRUE(std::equal(values.begin(), values.end(), others.begin(), others.end(), [](double a, double b) {
        return a == b || (std::isnan(a) && std::isnan(b));
      })) << key;
    }
  }
  EXPECT_EQ(grown.notes, anew.notes);
  ASSERT_EQ(grown.ranks.size(), anew.ranks.size());
  for (size_t i = 0; i < anew.ranks.size(); ++i) {
    EXPECT_EQ(grown.ranks[i].rank, anew.ranks[i].rank);
    EXPECT_EQ(grown.ranks[i].host, anew.ranks[i].host);
    EXPECT_EQ(grown.ranks[i].records.size(), anew.ranks[i].records.size());
    EXPECT_EQ(grown.ranks[i].kept, anew.ranks[i].kept);
  }
  ASSERT_EQ(grown.starts.size(), anew.starts.size());
  for (size_t i = 0; i < anew.starts.size(); ++i) {
    EXPECT_THAT(grown.starts[i].ended, testing::NanSensitiveDoubleEq(anew.starts[i].ended));
  }
  ASSERT_EQ(grown.sentence_losses.size(), anew.sentence_losses.size());
  for (size_t i = 0; i < anew.sentence_losses.size(); ++i) {
    EXPECT_EQ(grown.sentence_losses[i].cross_entropy, anew.sentence_losses[i].cross_entropy);
  }
}

TEST(RunReader, ARunThatGrowsIsReadAsOneThatIsReadAnew) {
  const TemporaryFolder folder;
  const fs::path run = folder.path();
  fs::create_directories(run / "steps");
  fs::create_directories(run / "evaluations");
  write_file(run / "run.json", kRunJson);
  RunReader reader(run);
  const auto append = [&](const std::string& text) { std::ofstream(run / "metrics.jsonl", std::ios::app) << text; };
  const auto steps = [&](int rank, const std::vector<StepRecord>& records) {
    ASSERT_TRUE(StepRecordWriter(step_records_path(run, rank)).add(records));
  };
  const auto compare = [&](const char* what) {
    SCOPED_TRACE(what);
    expect_same(reader.read(), read_run(run));
  };
  compare("empty");
  append("{\"step\":1,\"train_loss\":5}\nrubbish\n{\"step\":2,\"train");
  steps(0, {record(1, 0), record(2, 0), record(3, 0)});
  compare("half a line");
  append("_loss\":4}\n{\"step\":2,\"dev_bleu\":7}\n{\"step\":3,\"train_loss\":\"NaN\"}");
  steps(0, {record(4, 0)});
  steps(1, {record(1, 0), record(2, 0)});
  compare("a line without an end");
  append("\n{\"step\":2,\"train_loss\":3.5,\"other\":1}\n");
  steps(0, {record(3, 1), record(4, 1)});
  steps(1, {record(3, 1)});
  write_file(run / "evaluations" / "step-00000002.jsonl", "{\"cross_entropy\":12.5,\"tokens\":4}\n");
  compare("undone and resumed");
  compare("nothing new");
  write_file(run / "evaluations" / "step-00000004.jsonl", "{\"cross_entropy\":2.5,\"tokens\":4}\n");
  write_file(run / "metrics.jsonl", "{\"step\":1,\"train_loss\":6}\n{\"step\":2,\"train_loss\":5}\n");
  compare("rewritten");
  fs::resize_file(run / "metrics.jsonl", 30);
  fs::resize_file(step_records_path(run, 0), 16 + 64 * 2);
  compare("cut");
  fs::remove(run / "metrics.jsonl");
  fs::remove(step_records_path(run, 1));
  compare("removed");
  append("{\"step\":9,\"train_loss\":6}\n");
  steps(1, {record(9, 1)});
  compare("new files");
}

TEST(ReadRun, AnEmptyFolderHasNothingToReportOn) {
  const TemporaryFolder folder;
  EXPECT_ERROR(read_run(folder.path()), Error, HasSubstr(folder.path().string()));
}

TEST(ReadRun, TakesWhatIsThereAndNotesTheRest) {
  const TemporaryFolder folder;
  const fs::path run = folder.path() / "mine";
  fs::create_directories(run / "steps");
  fs::create_directories(run / "resources");
  write_file(run / "run.json", kRunJson);
  write_file(run / "config.yaml", "no_such_key: 1\n");
  write_file(run / "metrics.jsonl", "{\"step\":1,\"train_loss\":5}\nrubbish\n{\"step\":2,\"train");
  write_file(run / "history.jsonl",
             "{\"at\":1000.5,\"event\":\"start\",\"rank\":0,\"host\":\"a\",\"step\":0,\"start\":0}\n"
             "{\"at\":1100.5,\"event\":\"resume\",\"rank\":0,\"host\":\"a\",\"step\":2,\"start\":1,\"from_step\":2}\n"
             "{\"at\":1101.0,\"event\":\"ready\",\"rank\":0,\"host\":\"a\",\"step\":2,\"start\":1,\"seconds\":1.5}\n");
  write_file(run / "resources" / "rank-0.start-0.bin", "not that");
  StepRecordWriter(run / "steps" / "rank-0.bin")
      .add(std::vector<StepRecord>{record(1, 0), record(2, 0), record(3, 0), record(3, 1)});
  std::ofstream(run / "steps" / "rank-0.bin", std::ios::app) << "half a record";

  const RunData data = read_run(run);
  EXPECT_EQ(data.name, "mine");
  EXPECT_EQ(data.workers(), 2);
  EXPECT_EQ(data.worker_name(1), "worker 1 on b");
  ASSERT_EQ(data.ranks.size(), 1U);
  EXPECT_EQ(data.ranks[0].records.size(), 4U);
  EXPECT_EQ(data.ranks[0].kept_count(), 3U);
  EXPECT_EQ(data.last_step(), 3);
  EXPECT_FALSE(data.config);
  ASSERT_EQ(data.starts.size(), 2U);
  EXPECT_TRUE(data.starts[0].killed);
  EXPECT_DOUBLE_EQ(data.starts[0].began, 1000.5);
  EXPECT_DOUBLE_EQ(data.starts[0].ended, 1004);  // the end of its last step
  EXPECT_DOUBLE_EQ(data.starts[1].began, 1099.5);
  EXPECT_THAT(data.notes, Contains(HasSubstr("metrics.jsonl: 1 ")));
  EXPECT_THAT(data.notes, Contains(HasSubstr("no_such_key")));
  EXPECT_THAT(data.notes, Contains(HasSubstr("rank-0.start-0.bin")));
  EXPECT_THAT(data.notes, Contains(HasSubstr("worker 1 on b")));
}

TEST(ReadRun, OfManyEvaluationsTheBestAndTheLastAreChosen) {
  RunData run;
  for (int64_t i = 0; i < 300; ++i) {
    run.evaluation_files.emplace_back(i * 1000, "x");
    run.evaluations.step.push_back(i * 1000);
    run.evaluations.columns["dev_loss"].push_back(std::abs(static_cast<double>(i) - 117.3));
  }
  const std::vector<size_t> chosen = choose_evaluations(run);
  EXPECT_LE(chosen.size(), kJudgedEvaluations);
  EXPECT_THAT(chosen, testing::IsSupersetOf({size_t{0}, size_t{117}, size_t{118}, size_t{299}}));
}

TEST(ReadRun, DaysOfResourcesBecomeMeans) {
  Resources resources;
  resources.header.columns = {{"a", "", ""}};
  resources.values.resize(1);
  for (size_t i = 0; i < 3 * kResourceRows; ++i) {
    resources.times.push_back(static_cast<double>(i));
    resources.values[0].push_back(i % 3 == 0 ? std::nanf("") : static_cast<float>(i % 3));
  }
  const Resources thinned = thin_resources(resources);
  ASSERT_EQ(thinned.times.size(), kResourceRows);
  EXPECT_EQ(thinned.times.back(), 3.0 * kResourceRows - 1);
  EXPECT_FLOAT_EQ(thinned.values[0][7], 1.5F);
}

}  // namespace
}  // namespace verbund
