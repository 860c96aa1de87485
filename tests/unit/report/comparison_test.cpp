// SPDX-License-Identifier: Apache-2.0
#include "report/comparison.h"

#include <gmock/gmock.h>

#include "unit/report/made_run.h"

namespace verbund {
namespace {

using testing::HasSubstr;

RunData run_with_losses(std::vector<double> losses, int64_t seed = 1) {
  RunData run;
  run.config = Config();
  run.config->seed = seed;
  for (size_t i = 0; i < losses.size(); ++i) {
    run.training.step.push_back(static_cast<int64_t>(10 * (i + 1)));
    run.training.time.push_back(static_cast<double>(i));
    run.evaluations.step.push_back(static_cast<int64_t>(10 * (i + 1)));
    run.evaluations.time.push_back(static_cast<double>(i));
  }
  run.training.columns["train_loss"] = losses;
  run.training.columns["training_seconds"] = std::vector<double>(losses.size(), 3600);
  run.evaluations.columns["dev_loss"] = losses;
  return run;
}

TEST(Comparison, TheBestIsNotTheLast) {
  const RunData run = run_with_losses({3, 1, 2});
  EXPECT_EQ(best_of(run, "dev_loss", false).step, 20);
  EXPECT_EQ(best_of(run, "dev_loss", true).value, 3);
  EXPECT_FALSE(is_known(best_of(run, "dev_bleu", true).value));
}

TEST(Comparison, ShowsOnlyWhatDiffers) {
  RunData a = run_with_losses({1}), b = run_with_losses({1});
  b.config->model.heads = 16;
  const Section section = differences_section({{"a", &a}, {"b", &b}});
  const auto& table = std::get<Table>(section.blocks.at(1));
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.rows[0][0].text, "model.heads");
  EXPECT_EQ(table.rows[0][2].text, "16");
  b.config->model.heads = a.config->model.heads;
  EXPECT_EQ(differences_section({{"a", &a}, {"b", &b}}).blocks.size(), 1u) << "a sentence, no table";
}

TEST(Comparison, SeedsHaveAMeanAndADeviation) {
  const RunData a = run_with_losses({2}, 1), b = run_with_losses({4}, 2);
  const Section section = results_section({{"a", &a}, {"b", &b}});
  const auto& table = std::get<Table>(section.blocks.at(1));
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.rows[2][1].text, "3.0000 ± 1.4142");
}

TEST(Comparison, FindsTheFirstDifference) {
  const RunData a = run_with_losses({5, 4, 3, 2}), b = run_with_losses({5, 4, 3.5, 2}), c = run_with_losses({5, 4});
  const std::vector<Verdict> verdicts = first_differences({{"a", &a}, {"b", &b}, {"c", &c}});
  EXPECT_EQ(find_figure(verdicts[0], "same until step").value, 20);
  EXPECT_EQ(find_figure(verdicts[0], "first different step").value, 30);
  EXPECT_THAT(verdicts[0].sentence, HasSubstr("train_loss is 3 against 3.5"));
  EXPECT_EQ(find_figure(verdicts[1], "same until step").value, 20);
  EXPECT_EQ(verdicts[1].finding, Grade::kGood);
}

TEST(Comparison, CannotTellWithoutStatistics) {
  const RunData a = run_with_losses({2}), b = run_with_losses({4});
  const std::vector<Verdict> verdicts = better_verdicts({{"a", &a}, {"b", &b}});
  ASSERT_EQ(verdicts.size(), 1u);
  EXPECT_EQ(verdicts[0].finding, Grade::kCannotTell);
}

TEST(Comparison, CurvesByStepTimeAndTokens) {
  RunData a = run_with_losses({2, 1});
  a.training.columns["training_seconds"] = {3600, 7200};
  const Section section = curves_section({{"a", &a}});
  const auto& by_time = std::get<Chart>(section.blocks.at(1));
  EXPECT_EQ(by_time.id, "dev_loss_by_time");
  EXPECT_EQ(by_time.series.at(0).x, (std::vector<double>{1, 2}));
}

}  // namespace
}  // namespace verbund
