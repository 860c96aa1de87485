// SPDX-License-Identifier: Apache-2.0
#include "tensorboard/tensorboard_run.h"
#include "core/json.h"

#include <gmock/gmock.h>

#include "support/temporary_folder.h"

namespace verbund {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

// Steps and values of a tag, as each of TensorBoard's loaders holds them.
using Points = std::vector<std::pair<int64_t, double>>;
using Curves = std::map<std::string, Points>;

void drop_from(Points& points, int64_t step) {
  std::erase_if(points, [&](const auto& point) { return point.first >= step; });
}

std::vector<Event> events_of(const fs::path& folder) {
  std::vector<Event> events;
  std::map<std::string, std::string> plugins;
  for (const fs::path& file : event_files(folder)) {
    EXPECT_EQ(read_events(file, plugins, [&](const Event& event, std::string_view) { events.push_back(event); }), "");
  }
  return events;
}

// The one in Python: any START but the first voids its step and all later ones.
Curves python_curves(const fs::path& folder) {
  Curves curves;
  bool started = false;
  for (const Event& event : events_of(folder)) {
    if (event.start && std::exchange(started, true)) {
      for (auto& [tag, points] : curves) drop_from(points, event.step);
    }
    for (const EventValue& value : event.values) curves[value.tag].push_back({event.step, value.scalar.value_or(0)});
  }
  return curves;
}

// The one in Rust: a point voids its tag's points of its step and later ones.
Curves rust_curves(const fs::path& folder) {
  Curves curves;
  for (const Event& event : events_of(folder)) {
    for (const EventValue& value : event.values) {
      drop_from(curves[value.tag], event.step);
      curves[value.tag].push_back({event.step, value.scalar.value_or(0)});
    }
  }
  return curves;
}

class TensorBoardRunTest : public testing::Test {
 protected:
  void begin(int64_t step) { run_.begin(step, 1000); }
  // Trains up to `last`; logs every 10 steps, evaluates every 40. `part` tells the parts of the run apart.
  void train(int64_t first, int64_t last, int part) {
    for (int64_t step = first; step <= last; step += 10) {
      run_.add_line({{"step", step}, {"train_loss", value(step, part)}}, 1000);
      if (step % 40 != 0) continue;
      run_.add_line({{"step", step}, {"dev_loss", value(step, part)}, {"dev_bleu", value(step, part)}}, 1000);
      run_.add_samples(step, 1000, {{"s", "r", "t"}});
    }
    run_.flush();
  }
  static double value(int64_t step, int part) { return static_cast<double>(step) + 0.25 * part; }

  const TemporaryFolder folder_;
  TensorBoardRun run_{folder_.path(), {{"seed", 1}}};
};

TEST_F(TensorBoardRunTest, BeginsWithVersionStartSettingsAndLayout) {
  begin(-1);
  const auto events = events_of(folder_.path());
  ASSERT_EQ(events.size(), 4u);
  EXPECT_EQ(events[0].file_version, "brain.Event:2");
  EXPECT_TRUE(events[1].start);
  EXPECT_EQ(events[1].step, 0);
  EXPECT_EQ(events[2].values.at(0).tag, kRunBeginTag);
  EXPECT_EQ(events[3].values.at(0).tag, kLayoutTag);
}

TEST_F(TensorBoardRunTest, ALineHasItsOwnTimeAndBestValues) {
  begin(-1);
  run_.add_line({{"step", 40}, {"dev_bleu", 20.5}, {"time", "1970-01-01T00:01:40Z"}}, 7);
  run_.add_line({{"step", 41}, {"mine", 1}}, 7);
  run_.add_line({{"no", "step"}}, 7);
  run_.flush();
  const auto events = events_of(folder_.path());
  ASSERT_EQ(events.size(), 6u);
  EXPECT_EQ(events[4].wall_time, 100);
  EXPECT_EQ(events[4].values.at(0).plugin, "scalars");
  EXPECT_NE(events[4].values.at(0).description, "");
  EXPECT_EQ(events[5].wall_time, 7);
  EXPECT_THAT(python_curves(folder_.path()), Contains(Pair("best/BLEU", ElementsAre(Pair(40, 20.5)))));
}

TEST_F(TensorBoardRunTest, AStraightRunIsTheSameInBothLoaders) {
  begin(-1);
  train(10, 100, 0);
  const Curves curves = python_curves(folder_.path());
  EXPECT_EQ(curves, rust_curves(folder_.path()));
  EXPECT_EQ(curves.at("train_loss").size(), 10u);
  EXPECT_THAT(curves.at("eval_loss"), ElementsAre(Pair(40, 40), Pair(80, 80)));
}

TEST_F(TensorBoardRunTest, WhatWasUndoneIsGoneInBothLoaders) {
  begin(-1);
  train(10, 100, 0);
  for (const auto& [resumed, last, part] : {std::tuple{60, 90, 1}, std::tuple{70, 70, 2}, std::tuple{40, 200, 3}}) {
    begin(resumed);
    const Curves now = python_curves(folder_.path());
    EXPECT_EQ(now, rust_curves(folder_.path())) << "before anything new is told";
    EXPECT_EQ(now.at("train_loss").back().first, resumed);
    EXPECT_THAT(now.at("eval_loss"), ElementsAre(Pair(40, 40))) << "that of step 80 is undone";
    EXPECT_THAT(now.at("best/BLEU_step"), ElementsAre(Pair(40, 40)));
    EXPECT_EQ(now.at("samples").size(), 1u);
    train(resumed + 10, last, part);
  }
  const Curves curves = python_curves(folder_.path());
  EXPECT_EQ(curves, rust_curves(folder_.path()));
  ASSERT_EQ(curves.at("train_loss").size(), 20u);
  for (const auto& [step, loss] : curves.at("train_loss")) EXPECT_EQ(loss, value(step, step <= 40 ? 0 : 3));
  EXPECT_THAT(curves.at("eval_loss"),
              ElementsAre(Pair(40, 40), Pair(80, 80.75), Pair(120, 120.75), Pair(160, 160.75), Pair(200, 200.75)));
  EXPECT_EQ(event_files(folder_.path()).size(), 4u);
}

TEST_F(TensorBoardRunTest, AnotherObjectGoesOnAsWell) {
  begin(-1);
  train(10, 100, 0);
  TensorBoardRun again(folder_.path(), {{"seed", 1}});
  again.begin(100, 5);
  again.add_line({{"step", 120}, {"dev_loss", 90}, {"dev_bleu", 1}}, 5);
  again.flush();
  const Curves curves = rust_curves(folder_.path());
  EXPECT_EQ(curves, python_curves(folder_.path()));
  EXPECT_THAT(curves.at("best/eval_loss").back(), Pair(120, 40)) << "the best of the part before";
  EXPECT_EQ(curves.at(kLayoutTag).size(), 1u) << "once is enough";
}

TEST_F(TensorBoardRunTest, AFileThatWasCutOffIsGoneOnFrom) {
  begin(-1);
  train(10, 100, 0);
  const fs::path file = event_files(folder_.path()).at(0);
  fs::resize_file(file, fs::file_size(file) - 3);
  run_.begin(80, 1001);
  EXPECT_EQ(event_files(folder_.path()).size(), 2u);
}

TEST_F(TensorBoardRunTest, ABeginningAnewVoidsEverything) {
  begin(-1);
  train(10, 100, 0);
  begin(-1);
  for (const auto& [tag, points] : python_curves(folder_.path())) {
    EXPECT_TRUE(points.empty() || points.back().first == 0) << tag;
  }
  train(10, 40, 1);
  const Curves curves = python_curves(folder_.path());
  EXPECT_EQ(curves, rust_curves(folder_.path()));
  EXPECT_EQ(curves.at("train_loss").size(), 4u);
}

TEST_F(TensorBoardRunTest, TheEndIsToldOnce) {
  begin(-1);
  run_.add_end(1);
  run_.add_end(2);
  run_.flush();
  EXPECT_EQ(python_curves(folder_.path()).at(kRunEndTag).size(), 1u);
}

TEST(HyperParameters, WhatDiffersAndWhatEverybodyAsksFor) {
  Config config;
  config.decode.beam = 7;
  const Json settings = hyper_parameters(config);
  EXPECT_EQ(settings.at("decode.beam"), 7);
  EXPECT_EQ(settings.at("model.d_model"), config.model.d_model);
  EXPECT_EQ(settings.at("schedule.policy"), "transformer_policy");
  EXPECT_FALSE(settings.contains("decode.length_penalty"));
}

}  // namespace
}  // namespace verbund
