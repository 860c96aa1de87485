// SPDX-License-Identifier: Apache-2.0
#include "import/import_run.h"
#include "core/json.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/file.h"
#include "record/run_record.h"
#include "support/expect_error.h"
#include "support/failure_walk.h"
#include "support/temporary_folder.h"
#include "tensorboard/event_file.h"
#include "tensorboard/tensorboard_events.h"

namespace verbund {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kLoss = "Wall time,Step,Value\n1593383767.5,1,9.5\n1593383966.25,101,nan\n";
constexpr const char* kDevLoss = "Wall time,Step,Value\n1593383789.5,0,9.25\n";

class ImportRunTest : public ::testing::Test {
 protected:
  ImportRunTest() {
    make_folder(source_);
    write_file(source_ / "train_loss.csv", kLoss);
    write_file(source_ / "eval_loss.csv", kDevLoss);
  }

  std::string metrics() const { return read_file(run_ / "metrics.jsonl"); }

  TemporaryFolder folder_;
  const fs::path source_ = folder_ / "scalars", run_ = folder_ / "run";
};

TEST_F(ImportRunTest, ScalarsBecomeARunFolder) {
  import_run(source_, "", run_);
  EXPECT_EQ(metrics(),
            "{\"step\":1,\"time\":\"2020-06-28T22:36:07.500000Z\",\"train_loss\":9.5}\n"
            "{\"step\":0,\"time\":\"2020-06-28T22:36:29.500000Z\",\"dev_loss\":9.25}\n"
            "{\"step\":101,\"time\":\"2020-06-28T22:39:26.250000Z\",\"train_loss\":\"NaN\"}\n");
  const auto record = read_run_record(run_);
  EXPECT_EQ(record["imported"]["kind"], "scalar-csv");
  EXPECT_EQ(record["imported"]["what"], "2 logged steps, 1 evaluations, 0 samples");
  EXPECT_THAT(record["imported"]["unknown"].dump(), AllOf(HasSubstr("number of workers"), HasSubstr("learning rate")));
  EXPECT_EQ(record["starts"][0]["time"], "2020-06-28T22:36:07.500000Z");
  EXPECT_THAT(record["starts"][0]["stop"]["reason"].get<std::string>(), HasSubstr("step 101"));
  EXPECT_FALSE(record["starts"][0].contains("hosts"));
  EXPECT_FALSE(fs::exists(run_ / "samples.jsonl"));
  EXPECT_FALSE(fs::exists(run_ / "config.yaml"));
}

TEST_F(ImportRunTest, OneCurveIsEnough) {
  import_run(source_ / "train_loss.csv", "", run_);
  EXPECT_THAT(metrics(), HasSubstr("\"train_loss\":9.5"));
  write_file(folder_ / "train_loss", kLoss);  // its content tells, not its name
  import_run(folder_ / "train_loss", "", folder_ / "other");
  EXPECT_EQ(read_file(folder_ / "other" / "metrics.jsonl"), metrics());
  write_file(folder_ / "log", "text\n");
  EXPECT_ERROR(import_run(folder_ / "log", "scalar-csv", folder_ / "none"), Error, HasSubstr("Wall time,Step,Value"));
}

TEST_F(ImportRunTest, ALogHasNoTimes) {
  write_file(folder_ / "log", "*** Global step 0: ***     Train loss: 9.5 \ntime per step = 0:00:1.5\n");
  import_run(folder_ / "log", "", run_);
  EXPECT_EQ(metrics(), "{\"step\":0,\"seconds_per_step\":1.5,\"train_loss\":9.5}\n");
  EXPECT_FALSE(read_run_record(run_)["starts"][0].contains("time"));
}

TEST_F(ImportRunTest, EventFiles) {
  {
    EventFile file(folder_ / "scalars", 1600000000);
    const auto add = [&](const Event& event) { file.add(encode(event)); };
    Event first;
    first.file_version = kFileVersion;
    add(first);
    const auto scalar = [](double time, int64_t step, const char* tag, double value) {
      Event event;
      event.wall_time = time;
      event.step = step;
      event.values.push_back({});
      event.values.back().tag = tag;
      event.values.back().scalar = value;
      return event;
    };
    add(scalar(100, 10, "train_loss", 2));
    add(scalar(101, 20, "train_loss", 1.5));
    add(scalar(102, 10, "train_loss", 1.75));  // goes back
    add(scalar(103, 12, "Eval_BLEU_Score", 0.25));
    file.flush();
  }
  EXPECT_ERROR(import_run(source_, "", run_), UsageError, HasSubstr("--kind"));
  import_run(source_, "tensorboard-events", run_);
  EXPECT_EQ(metrics(),
            "{\"step\":10,\"time\":\"1970-01-01T00:01:42.000000Z\",\"train_loss\":1.75}\n"
            "{\"step\":12,\"time\":\"1970-01-01T00:01:43.000000Z\",\"dev_teacher_forced_piece_bleu\":25.0}\n");
  const fs::path file = event_files(source_).front();
  EXPECT_EQ(recognise_source(file), "tensorboard-events");
  write_file(file, read_file(file).substr(0, 100));
  import_run(file, "", folder_ / "cut");
  EXPECT_THAT(read_run_record(folder_ / "cut")["imported"]["notes"].dump(), HasSubstr("tfevents"));
}

TEST_F(ImportRunTest, WhatIsNoRunIsRefused) {
  EXPECT_ERROR(recognise_source(folder_ / "none"), Error, HasSubstr((folder_ / "none").string()));
  write_file(folder_ / "empty", "");
  EXPECT_ERROR(recognise_source(folder_ / "empty"), Error, HasSubstr((folder_ / "empty").string()));
  write_file(folder_ / "binary", std::string("\1\0\2", 3));
  EXPECT_ERROR(recognise_source(folder_ / "binary"), Error, HasSubstr((folder_ / "binary").string()));
  make_folder(folder_ / "folder");
  EXPECT_ERROR(recognise_source(folder_ / "folder"), Error, HasSubstr("tfevents"));
  write_file(folder_ / "folder" / "a.txt", "x");
  EXPECT_ERROR(recognise_source(folder_ / "folder"), Error, HasSubstr("tfevents"), HasSubstr("Wall time,Step,Value"),
               HasSubstr("a.txt"));
  write_file(folder_ / "folder" / "metrics.jsonl", "");
  write_file(folder_ / "folder" / "run.json", "");
  EXPECT_ERROR(recognise_source(folder_ / "folder"), Error, HasSubstr((folder_ / "folder").string()));
  write_file(source_ / "train_loss.csv", "Wall time,Step,Value\n");
  write_file(source_ / "eval_loss.csv", "Wall time,Step,Value\n");
  EXPECT_ERROR(import_run(source_, "", run_), Error, HasSubstr(source_.string()));
  EXPECT_FALSE(fs::exists(run_));
}

TEST_F(ImportRunTest, AFolderThatIsNotEmptyIsLeftAlone) {
  make_folder(run_);
  import_run(source_, "", run_.string() + "/");  // empty: taken, whatever its spelling
  EXPECT_ERROR(import_run(source_, "", run_), Error, HasSubstr(run_.string()));
}

TEST(ImportFailures, TheRunFolderIsWholeOrAbsent) {
  walk_failures({.prepare =
                     [](const fs::path& folder) {
                       make_folder(folder / "scalars");
                       write_file(folder / "scalars" / "train_loss.csv", kLoss);
                     },
                 .work =
                     [](const fs::path& folder) {
                       if (fs::exists(folder / "run")) return remove_path(folder / "run.partial");  // after it, a kill
                       import_run(folder / "scalars", "", folder / "run");
                     },
                 .unread = {"run/run.json"}},
                50);
}

}  // namespace
}  // namespace verbund
