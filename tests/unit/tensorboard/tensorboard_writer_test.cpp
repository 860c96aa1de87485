// SPDX-License-Identifier: Apache-2.0
#include "tensorboard/tensorboard_writer.h"
#include "core/json.h"

#include <gmock/gmock.h>

#include "core/log.h"
#include "record/evaluation_file.h"
#include "support/expect_error.h"
#include "support/failing_file_system.h"
#include "support/interrupted.h"
#include "support/temporary_folder.h"
#include "tensorboard/tensorboard_run.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// Values by tag, and texts; files are read in their order.
struct Told {
  std::map<std::string, std::vector<int64_t>> steps;
  std::vector<std::string> samples;  // the last table
};

Told told_in(const fs::path& folder) {
  Told told;
  std::map<std::string, std::string> plugins;
  for (const fs::path& file : event_files(folder)) {
    (void)read_events(file, plugins, [&](const Event& event, std::string_view) {
      for (const EventValue& value : event.values) {
        told.steps[value.tag].push_back(event.step);
        if (value.tag == kSamplesTag) told.samples = value.text;
      }
    });
  }
  return told;
}

Json line_at(int64_t step) { return {{"step", step}, {"train_loss", 2.5}, {"time", "2026-02-03T04:05:06Z"}}; }

TEST(TensorBoardWriter, TellsWhatARunTells) {
  const TemporaryFolder folder;
  TensorBoardWriter writer(folder.path(), {}, 4);
  writer.begin(-1);
  writer.metrics(line_at(10));
  EXPECT_THAT(told_in(folder.path()).steps["train_loss"], ElementsAre(10)) << "whoever watches sees it at once";
  TestSet set;
  set.sources = {"a dog", "a cat"};
  set.references = {"ein Hund", "eine Katze"};
  Evaluation dev;
  dev.translations = {"ein *Hund*"};
  writer.evaluation({.step = 10, .dev = dev, .set = set});
  writer.event({.event = "finish"});
  writer.end();
  Told told = told_in(folder.path());
  EXPECT_THAT(told.steps[kSamplesTag], ElementsAre(10));
  EXPECT_EQ(told.samples.size(), 6u) << "as many as were translated";
  EXPECT_EQ(told.samples.back(), "ein &#42;Hund&#42;");
  EXPECT_EQ(told.steps[kRunEndTag].size(), 1u);
  EXPECT_EQ(told.steps[kLayoutTag].size(), 1u);
}

TEST(TensorBoardWriter, APartThatDoesNotFinishIsNoEnd) {
  const TemporaryFolder folder;
  TensorBoardWriter writer(folder.path(), {}, 1);
  writer.begin(-1);
  writer.event({.event = "stop"});
  writer.end();
  EXPECT_FALSE(told_in(folder.path()).steps.contains(kRunEndTag));
}

TEST(TensorBoardWriter, ARunOfBeforeIsToldFromItsBeginning) {
  const TemporaryFolder folder;
  folder.write("metrics.jsonl", line_at(10).dump() + "\n" + line_at(20).dump() + "\n" + line_at(30).dump() + "\n");
  TensorBoardWriter writer(folder.path(), {}, 1);
  writer.begin(20);
  writer.metrics(line_at(30));
  EXPECT_THAT(told_in(folder.path()).steps["train_loss"], ElementsAre(10, 20, 30));
}

TEST(TensorBoardWriter, WhateverFailsTheRunGoesOn) {
  const TemporaryFolder folder;
  const auto work = [](const fs::path& run) {
    TensorBoardWriter writer(run, {}, 1);
    writer.begin(-1);
    writer.metrics(line_at(10));
    writer.metrics(line_at(20));
    writer.begin(10);
    writer.metrics(line_at(20));
    writer.end();
  };
  FailingFileSystem counting;
  fs::create_directory(folder / "counted");
  {
    const FileSystemInPlace in_place(counting);
    work(folder / "counted");
  }
  ASSERT_GT(counting.calls(), 8);
  int met = 0;
  for (int at = 1; at <= counting.calls(); ++at) {
    for (const Failure failure : {Failure::kError, Failure::kFull, Failure::kShortWrite}) {
      if (!counting.applies(at, failure)) continue;
      const fs::path run = folder / fmt::format("{}-{}", at, name_of(failure));
      fs::create_directory(run);
      FailingFileSystem failing(at, failure);
      testing::internal::CaptureStderr();
      {
        const FileSystemInPlace in_place(failing);
        EXPECT_NO_THROW(work(run));
      }
      const std::string said = testing::internal::GetCapturedStderr();
      ++met;
      if (failing.struck() && failure != Failure::kShortWrite && !said.empty()) {
        EXPECT_THAT(said, HasSubstr("verbund export --format tensorboard"));
        EXPECT_EQ(said.find("warning"), said.rfind("warning")) << "once";
      }
      (void)told_in(run);  // and what is there can be read
    }
  }
  EXPECT_GT(met, 12);
}

TEST(TensorBoardWriter, AFolderThatIsGoneIsAWarning) {
  const TemporaryFolder folder;
  TensorBoardWriter writer(folder / "gone", {}, 1);
  testing::internal::CaptureStderr();
  writer.begin(-1);
  writer.metrics(line_at(10));
  writer.end();
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr((folder / "gone").string()));
}

class TensorBoardExport : public testing::Test {
 protected:
  TensorBoardExport() { fs::create_directories(run_ / "evaluations"); }
  void write(const std::string& name, const std::string& content) const { folder_.write("run/" + name, content); }

  const TemporaryFolder folder_;
  const fs::path run_ = folder_ / "run", out_ = folder_ / "out";
};

TEST_F(TensorBoardExport, EverythingThatTheFolderTells) {
  write("metrics.jsonl", line_at(10).dump() + "\nno line\n" + R"({"step": 10, "dev_loss": 2, "dev_bleu": 30})" + "\n" +
                             R"({"step": 20, "train_)");
  TestSet set;
  set.sources = {"a", "c"};
  set.references = {"b", "d"};
  set.source_tokens.resize(2);
  Evaluation dev;
  dev.translations = {"e", "f"};
  dev.sentences.resize(2);
  dev.bleu_statistics.resize(2);
  dev.chrf_statistics.resize(2, {.orders = {{1, 2, 3}}});
  write("evaluations/dev.jsonl", dev_text(set));
  write("evaluations/step-00000010.jsonl", evaluation_text(dev));
  write("config.yaml", "seed: 7\n");
  write("run.json", R"({"format": "verbund-run", "version": 1, "id": "a", "start_count": 1, "starts": [
    {"time": "2026-02-03T04:00:00Z", "stop": {"time": "2026-02-03T05:00:00Z", "reason": "finished at step 20"}}]})");
  const ExportedRun told = export_to_tensorboard(run_, out_);
  EXPECT_EQ(told.lines, 2u);
  EXPECT_EQ(told.damaged, 1u);
  Told found = told_in(out_);
  EXPECT_THAT(found.steps["train_loss"], ElementsAre(10));
  EXPECT_THAT(found.steps["best/BLEU"], ElementsAre(10));
  EXPECT_EQ(found.steps[kRunEndTag].size(), 1u);
  EXPECT_THAT(found.samples,
              ElementsAre("**source**", "**reference**", "**translation**", "a", "b", "e", "c", "d", "f"));
  EXPECT_THAT(event_files(out_).at(0).filename().string(), HasSubstr("tfevents.1770091200.")) << "its first start";
}

TEST_F(TensorBoardExport, MetricsAloneAreEnough) {
  write("metrics.jsonl", R"({"step": 1, "train_loss": "NaN"})"
                         "\n");
  EXPECT_EQ(export_to_tensorboard(run_, out_).lines, 1u);
  EXPECT_FALSE(told_in(out_).steps.contains(kRunEndTag));
}

TEST_F(TensorBoardExport, DamageBesideTheMetricsIsAWarning) {
  write("metrics.jsonl", line_at(10).dump() + "\n");
  write("config.yaml", "nonsense: [");
  write("run.json", "{");
  testing::internal::CaptureStderr();
  EXPECT_EQ(export_to_tensorboard(run_, out_).lines, 1u);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), AllOf(HasSubstr("config.yaml"), HasSubstr("run.json")));
}

TEST_F(TensorBoardExport, CanBeInterruptedAndLeavesNothing) {
  write("metrics.jsonl", line_at(10).dump() + "\n");
  EXPECT_HEARS_CTRL_C(export_to_tensorboard(run_, out_));
  for (const fs::path& left : list_folder(folder_.path())) EXPECT_EQ(left, run_);
}

TEST_F(TensorBoardExport, WholeOrAbsent) {
  EXPECT_ERROR(export_to_tensorboard(run_, out_), Error, HasSubstr("metrics.jsonl"));
  EXPECT_ERROR(export_to_tensorboard(folder_ / "none", out_), Error, HasSubstr((folder_ / "none").string()));
  EXPECT_FALSE(fs::exists(out_));
  write("metrics.jsonl", line_at(10).dump() + "\n");
  fs::create_directory(out_);
  EXPECT_ERROR(export_to_tensorboard(run_, out_), Error, HasSubstr(out_.string()));
}

}  // namespace
}  // namespace verbund
