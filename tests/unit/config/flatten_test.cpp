#include "config/flatten.h"

#include <gmock/gmock.h>

#include "config/config.h"

namespace verbund {
namespace {

TEST(Flatten, EveryFieldUnderItsWholeName) {
  Config config;
  config.corpus.train = {{.source = "a.en", .target = "a.de"}, {.tsv = "b.tsv"}};
  config.model.dropout = 0.25;
  config.batch.tokens = kAutomatic;
  const auto flat = flatten(config);
  EXPECT_EQ(flat.at("seed"), 1);
  EXPECT_EQ(flat.at("model.dropout"), 0.25);
  EXPECT_EQ(flat.at("schedule.policy"), "transformer_policy");
  EXPECT_EQ(flat.at("schedule.staircase"), false);
  EXPECT_EQ(flat.at("batch.tokens"), "auto");
  EXPECT_EQ(flat.at("corpus.train.0.target"), "a.de");
  EXPECT_EQ(flat.at("corpus.train.1.tsv"), "b.tsv");
  EXPECT_EQ(flat.at("decode.beam"), 4) << "after a list the names go on as before";
}

}  // namespace
}  // namespace verbund
