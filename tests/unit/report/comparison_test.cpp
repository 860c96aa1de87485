// SPDX-License-Identifier: Apache-2.0
#include "report/comparison.h"

#include <gmock/gmock.h>

#include <algorithm>

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

TEST(Comparison, ALossThatIsNotANumberDiffersFromOneThatIs) {
  RunData a = run_with_losses({5, 4, 3, 2}), b = run_with_losses({5, 4, kNotKnown, kNotKnown});
  b.training.not_finite["train_loss"] = {2, 3};
  for (const bool first : {true, false}) {
    const std::vector<Verdict> verdicts = first_differences(first ? std::vector<NamedRun>{{"a", &a}, {"b", &b}}
                                                                  : std::vector<NamedRun>{{"b", &b}, {"a", &a}});
    EXPECT_EQ(find_figure(verdicts[0], "first different step").value, 30);
  }
}

bool has_figure(const Verdict& verdict, const std::string& name) {
  return std::ranges::any_of(verdict.figures, [&](const Figure& figure) { return figure.name == name; });
}

TEST(Comparison, NamesNoStepBeforeTheFirstAndNoMoreDigitsThanDiffer) {
  const RunData a = run_with_losses({3.625493842719935, 2}), b = run_with_losses({3.516446076418873, 2});
  const Verdict verdict = first_differences({{"a", &a}, {"b", &b}})[0];
  EXPECT_FALSE(has_figure(verdict, "same until step"));
  EXPECT_EQ(find_figure(verdict, "first different step").value, 10);
  EXPECT_THAT(verdict.sentence, HasSubstr("3.6255 against 3.5164"));
  const RunData c = run_with_losses({3.625493842719936, 2});
  EXPECT_THAT(first_differences({{"a", &a}, {"c", &c}})[0].sentence,
              HasSubstr("3.62549384271993 against 3.62549384271994"));
}

TEST(Comparison, RunsOfAnotherSeedDifferFromTheStartAndAreNotAskedAbout) {
  const RunData a = run_with_losses({5, 4}, 1), b = run_with_losses({6, 4}, 2), c = run_with_losses({5, 4}, 1);
  const std::vector<Verdict> verdicts = first_differences({{"a", &a}, {"b", &b}, {"c", &c}});
  ASSERT_EQ(verdicts.size(), 1u);
  EXPECT_EQ(verdicts[0].id, "first_difference_2");
}

TEST(Comparison, TheTimeOfAShortRunIsThatOfItsSteps) {
  MadeRun made;
  made.start(1);
  made.steps(1, 10, {.waited = 0, .compute = 2, .exposed = 0, .update = 0});
  const RunData run = made.take();  // it has logged nothing
  const Section section = results_section({{"a", &run}, {"b", &run}});
  EXPECT_NEAR(std::get<Table>(section.blocks.at(1)).rows[0].back().value.value(), 20, 1e-6);
}

RunData run_with_scores(double bleu, double chrf, int64_t seed, int64_t heads = 8) {
  RunData run = run_with_losses({}, seed);
  run.config->model.heads = heads;
  MadeRun::row(run.evaluations, 10, {{"dev_bleu", bleu}, {"dev_chrf", chrf}});
  return run;
}

NamedRuns named_runs(const std::vector<RunData>& runs) {
  NamedRuns named;
  for (size_t i = 0; i < runs.size(); ++i) named.push_back({std::string(1, static_cast<char>('a' + i)), &runs[i]});
  return named;
}

TEST(Comparison, SeedsOfOneSettingAreAGroupAndNeverRanked) {
  const std::vector<RunData> runs = {run_with_scores(20, 50, 1), run_with_scores(30, 60, 2),
                                     run_with_scores(22, 52, 3)};
  const std::vector<RunGroup> groups = groups_of(named_runs(runs));
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].seeds.size(), 3u);
  EXPECT_TRUE(better_verdicts(groups).empty());
  const std::vector<Verdict> verdicts = group_verdicts(groups);
  ASSERT_EQ(verdicts.size(), 1u);
  EXPECT_EQ(verdicts[0].finding, Grade::kNeutral);
  EXPECT_EQ(find_figure(verdicts[0], "mean BLEU").value, 24);
  EXPECT_NEAR(find_figure(verdicts[0], "standard deviation of BLEU").value, 5.2915, 1e-4);
}

TEST(Comparison, AGroupIsOfOneConfigurationDatasetAndProgram) {
  std::vector<RunData> runs(5, run_with_scores(20, 50, 1));
  runs[1].record = {{"dataset", {{"checksum", "other"}}}};
  runs[2].record = {{"starts", {{{"program", "verbund 9"}}}}};
  runs[3].config.reset(), runs[4].config.reset();  // imported: nothing is known of their settings
  EXPECT_EQ(groups_of(named_runs(runs)).size(), 5u);
}

TEST(Comparison, TheSameSeedCountsOnce) {
  const std::vector<RunData> runs = {run_with_scores(20, 50, 1), run_with_scores(20, 50, 1)};
  const std::vector<RunGroup> groups = groups_of(named_runs(runs));
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].runs.size(), 2u);
  EXPECT_EQ(groups[0].seeds.size(), 1u);
  EXPECT_FALSE(has_figure(group_verdicts(groups)[0], "standard deviation of BLEU"));
}

TEST(Comparison, SettingsAreTestedOverTheirSeeds) {
  std::vector<RunData> runs;
  for (int64_t seed = 1; seed <= 3; ++seed) {
    const auto noise = static_cast<double>(seed);
    runs.push_back(run_with_scores(20 + noise, 50 + noise, seed));
    runs.push_back(run_with_scores(30 + noise, 60 + noise, seed, 16));
  }
  std::vector<Verdict> verdicts = better_verdicts(groups_of(named_runs(runs)));
  ASSERT_EQ(verdicts.size(), 1u);
  EXPECT_EQ(verdicts[0].finding, Grade::kGood);
  EXPECT_EQ(find_figure(verdicts[0], "difference in BLEU").value, 10);
  EXPECT_LT(find_figure(verdicts[0], "p of BLEU").value, 0.001);
  for (RunData& run : runs) run.evaluations.columns["dev_bleu"] = {run.config->seed == 2 ? 20.0 : 25.0};
  EXPECT_NE(better_verdicts(groups_of(named_runs(runs)))[0].finding, Grade::kGood) << "they vary more than they differ";
}

TEST(Comparison, MetricsMustAgreeAndTheModelsBeUsable) {
  const ComparedScore better = {30, 20, 0.001}, worse = {20, 30, 0.001}, same = {30, 29, 0.5}, unknown;
  EXPECT_EQ(rank_sides(better, better).finding, Grade::kGood);
  EXPECT_EQ(rank_sides(better, unknown).finding, Grade::kGood);
  EXPECT_EQ(rank_sides(better, worse).finding, Grade::kNeutral);
  EXPECT_EQ(rank_sides(better, same).finding, Grade::kNeutral);
  EXPECT_EQ(rank_sides(same, better).finding, Grade::kNeutral);
  EXPECT_NE(rank_sides(better, worse).answer, rank_sides(same, same).answer) << "disagreement is not ignorance";
  EXPECT_EQ(rank_sides({0.22, 0.03, 0.001}, {2, 1, 0.001}).finding, Grade::kBad);
}

TEST(Comparison, CannotTellWithoutStatistics) {
  const RunData a = run_with_losses({2}), b = run_with_losses({4});
  const std::vector<Verdict> verdicts = better_verdicts({{{{"a", &a}}, {{"a", &a}}}, {{{"b", &b}}, {{"b", &b}}}});
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
