// SPDX-License-Identifier: Apache-2.0
#include "score/comparison.h"
#include "core/json.h"

#include <gmock/gmock.h>

#include "score/paired_test_table.h"

namespace verbund {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Of each ten words the first system has one wrong, the second two.
struct Systems {
  std::vector<NamedSystem> all = {{"a.de", {}}, {"b.de", {}}};
  References references = {{}};
  Metrics metrics;

  Systems() {
    for (int i = 0; i < 40; ++i) {
      references[0].push_back(fmt::format("{} 1 2 3 4 5 6 7 8 9", i));
      all[0].segments.push_back(fmt::format("{} x 2 3 4 5 6 7 8 9", i));
      all[1].segments.push_back(fmt::format("{} x 2 3 4 5 6 7 8 y", i));
    }
    metrics.push_back(make_metric(TerOptions{}));
  }
  Comparison compare(const TestOptions& options) const { return compare_systems(all, references, metrics, options); }
};

TEST(PairedTestTable, GivesEveryCellItsPlace) {
  Comparison comparison;
  comparison.systems = {"a", "a long name"};
  comparison.columns = {{"µ", "signature", {{.score = 1}, {.score = 12345, .p = 0.5}}}};
  EXPECT_THAT(comparison_text(comparison, {}, 0), ::testing::StartsWith("╒═════════════╤══════════════╕\n"
                                                                        "│      System │      µ       │\n"
                                                                        "╞═════════════╪══════════════╡\n"
                                                                        "│           a │      1       │\n"
                                                                        "├─────────────┼──────────────┤\n"
                                                                        "│ a long name │    12345     │\n"
                                                                        "│             │ (p = 0.5000) │\n"
                                                                        "╘═════════════╧══════════════╛\n"));
}

TEST(Comparison, WithoutATestHasScoresAlone) {
  const Systems systems;
  const Comparison comparison = systems.compare({});
  ASSERT_EQ(comparison.columns.size(), 1u);
  EXPECT_EQ(comparison.columns[0].metric, "TER");
  EXPECT_DOUBLE_EQ(comparison.columns[0].scores[0].score, 10);
  EXPECT_DOUBLE_EQ(comparison.columns[0].scores[1].score, 20);
  EXPECT_FALSE(comparison.columns[0].scores[1].p);
  EXPECT_EQ(comparison_json(comparison, {}, 2).dump(),
            "[{\"system\":\"a.de\",\"TER\":\"10.00\"},{\"system\":\"b.de\",\"TER\":\"20.00\"}]");
  EXPECT_THAT(comparison_text(comparison, {}, 1), Not(HasSubstr("Baseline")));
}

TEST(Comparison, ByRandomizationTellsWhatIsSure) {
  const Systems systems;
  const TestOptions options = {.test = PairedTest::kRandomization, .trials = 99};
  const Comparison comparison = systems.compare(options);
  EXPECT_FALSE(comparison.columns[0].scores[0].p);
  EXPECT_EQ(comparison.columns[0].scores[1].p, 0.01);
  EXPECT_FALSE(comparison.columns[0].scores[1].interval);
  EXPECT_THAT(comparison.columns[0].signature, HasSubstr("nrefs:1|ar:99|seed:12345|case:lc|"));
  EXPECT_THAT(comparison_text(comparison, options, 1), HasSubstr("│           b.de │     20.0      │\n"
                                                                 "│                │ (p = 0.0100)* │\n"));
  EXPECT_THAT(comparison_text(comparison, options, 1), HasSubstr("Baseline: a.de"));
}

TEST(Comparison, ByRandomizationMayHaveIntervals) {
  const Systems systems;
  const Comparison comparison =
      systems.compare({.test = PairedTest::kRandomization, .trials = 9, .confidence_samples = 100});
  EXPECT_THAT(comparison.columns[0].signature, HasSubstr("nrefs:1|bs:100|ar:9|seed:12345|"));
  EXPECT_FLOAT_EQ(comparison.columns[0].scores[0].interval->mean, 10);
  EXPECT_FLOAT_EQ(comparison.columns[0].scores[1].interval->mean, 20);
}

TEST(Comparison, ByBootstrapHasIntervals) {
  const Systems systems;
  const TestOptions options = {.test = PairedTest::kBootstrap, .trials = 99, .seed = 5, .seed_name = "5"};
  const Comparison comparison = systems.compare(options);
  EXPECT_THAT(comparison.columns[0].signature, HasSubstr("nrefs:1|bs:99|seed:5|case:lc|"));
  EXPECT_FLOAT_EQ(comparison.columns[0].scores[0].interval->half_width, 0);
  EXPECT_THAT(comparison_text(comparison, options, 1), HasSubstr("20.0 (20.0 ± 0.0)"));
  EXPECT_THAT(comparison_text(comparison, options, 1), HasSubstr("TER (μ ± 95% CI)"));
}

}  // namespace
}  // namespace verbund
