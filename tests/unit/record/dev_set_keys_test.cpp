// SPDX-License-Identifier: Apache-2.0
#include "record/dev_set_keys.h"

#include <gmock/gmock.h>

namespace verbund {
namespace {

using ::testing::ElementsAre;

TEST(DevSetKeys, AreReadAsTheyAreWritten) {
  for (const std::string set : {"general", "a-b.c", "x_bleu", "cross_entropy", "_"}) {
    for (const std::string metric : {"bleu", "chrf", "cross_entropy", "exact_sentences"}) {
      const auto parsed = parse_extra_dev_key(extra_dev_key(set, metric));
      ASSERT_TRUE(parsed) << set << " " << metric;
      EXPECT_EQ(parsed->set, set);
      EXPECT_EQ(parsed->metric, metric);
    }
  }
  for (const char* other : {"dev_bleu", "dev-_bleu", "dev-general", "dev-general_", "dev-bleu", "train_loss", ""}) {
    EXPECT_FALSE(parse_extra_dev_key(other)) << other;
  }
}

TEST(DevSetKeys, TheSetsOfEvaluationsAreListed) {
  const MetricsReader metrics(
      R"({"step":10,"dev_bleu":1,"dev_cross_entropy":2,"dev-news_cross_entropy":3,"dev-law_cross_entropy":3,"dev-law_bleu":5}
)");
  EXPECT_THAT(extra_dev_sets(metrics.evaluations), ElementsAre("law", "news"));
  EXPECT_EQ(metrics.evaluations.last("dev-law_bleu"), 5);
  EXPECT_EQ(metrics.training.rows(), 0u);
}

}  // namespace
}  // namespace verbund
