// SPDX-License-Identifier: Apache-2.0
#include "config/settings.h"
#include "core/json.h"

#include <gmock/gmock.h>

namespace verbund {
namespace {

TEST(Settings, NameEveryKeyWithItsValue) {
  Config config;
  config.corpus.train.push_back({"a.en", "a.de", ""});
  const std::vector<Setting> settings = settings_of(config);
  const auto value = [&](const std::string& key) {
    for (const Setting& setting : settings) {
      if (setting.key == key) return setting.value;
    }
    return std::string("not there");
  };
  EXPECT_EQ(value("seed"), "1");
  EXPECT_EQ(value("schedule.policy"), "transformer_policy");
  EXPECT_EQ(value("corpus.train.0.target"), "a.de");
}

TEST(Settings, OfTheDefaultsNoneAreChanged) { EXPECT_TRUE(changed_settings(Config()).empty()); }

TEST(Settings, ChangedOnesHaveTheirDefault) {
  Config config;
  config.model.heads = 16;
  config.corpus.dev.push_back({"", "", "dev.tsv"});
  const std::vector<ChangedSetting> changed = changed_settings(config);
  ASSERT_EQ(changed.size(), 6u);  // the list is new, with its five keys
  EXPECT_EQ(changed[2].setting.value, "dev.tsv");
  EXPECT_EQ(changed[2].usual, "");
  EXPECT_EQ(changed[5].setting.key, "model.heads");
  EXPECT_EQ(changed[5].setting.value, "16");
  EXPECT_EQ(changed[5].usual, "8");
  EXPECT_FALSE(changed[5].setting.meaning.empty());
}

TEST(Settings, KeepTheirTypesWhenFlattened) {
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
  EXPECT_EQ(flat.at("decode.beam"), 4) << "after a list the prefix is as before";
}

}  // namespace
}  // namespace verbund
