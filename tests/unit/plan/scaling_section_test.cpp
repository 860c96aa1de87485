// SPDX-License-Identifier: Apache-2.0
#include "plan/plan.h"

#include <gmock/gmock.h>

#include "unit/plan/made_dataset.h"
#include "unit/report/made_run.h"

namespace verbund {
namespace {

using ::testing::HasSubstr;

// A run of two workers on one host, on the made dataset.
class ScalingSection : public OnMadeDataset {
 protected:
  RunData run(int steps = 20) {
    MadeRun made(2, 2);
    made.data().config->model.d_model = 64;
    made.data().config->model.d_ff = 128;
    made.data().config->model.heads = 2;
    made.data().config->batch.tokens = 500;
    made.data().record["dataset"] = {{"path", folder_.path().string()}};
    made.start(1);
    for (int step = 1; step <= steps; ++step) made.step(step, [](int) { return MadeStep(); });
    return made.take();
  }
};

TEST_F(ScalingSection, ShowsTheRunAsItWasAndTwiceTheWorkers) {
  const Section section = scaling_section(run());
  ASSERT_GE(section.blocks.size(), 3u);
  EXPECT_THAT(std::get<Paragraph>(section.blocks[0]).text, HasSubstr("0.760 s"));
  const auto& chart = std::get<Chart>(section.blocks[1]);
  ASSERT_EQ(chart.series.size(), 3u);
  EXPECT_THAT(chart.series[0].x, ::testing::ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(chart.series[2].x.front(), 2);
  EXPECT_NEAR(chart.series[2].y.front(), chart.series[0].y[1], 0.05 * chart.series[0].y[1]) << "as it was";
  for (size_t i = 0; i < 4; ++i) EXPECT_LE(chart.series[0].y[i], chart.series[1].y[i] * (1 + 1e-9));
  EXPECT_EQ(std::get<Table>(section.blocks[2]).rows.size(), 4u);
}

TEST_F(ScalingSection, IsLeftOutWhereThereIsNothingToGoBy) {
  EXPECT_TRUE(scaling_section(run(3)).blocks.empty()) << "too few steps";
  RunData without = run();
  without.record["dataset"]["path"] = (folder_.path() / "gone").string();
  EXPECT_TRUE(scaling_section(without).blocks.empty());
  RunData automatic = run();
  automatic.config->batch.tokens = kAutomatic;
  EXPECT_TRUE(scaling_section(automatic).blocks.empty());
}

TEST_F(ScalingSection, ADatasetThatIsDamagedCostsTheSectionAlone) {
  write_file(folder_.path() / "dataset.json", "{");
  const Section section = scaling_section(run());
  ASSERT_EQ(section.blocks.size(), 1u);
  EXPECT_THAT(std::get<Paragraph>(section.blocks[0]).text, HasSubstr("dataset.json"));
}

}  // namespace
}  // namespace verbund
