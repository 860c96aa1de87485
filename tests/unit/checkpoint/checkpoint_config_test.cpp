// SPDX-License-Identifier: Apache-2.0
#include "config/checkpoint_config.h"

#include <gtest/gtest.h>

#include "config/load.h"
#include "config/show.h"
#include "core/error.h"
#include "support/expect_error.h"

namespace verbund {
namespace {

using ::testing::HasSubstr;

CheckpointConfig loaded(const std::string& yaml) {
  CheckpointConfig config;
  load(parse_yaml(yaml, "a.yaml"), config);
  return config;
}

TEST(CheckpointConfig, DefaultsAndChanges) {
  const CheckpointConfig defaults = loaded("");
  EXPECT_EQ(defaults.save_every_steps, 1000);
  EXPECT_EQ(defaults.keep_last, 5);
  EXPECT_EQ(defaults.keep_every, 0);
  EXPECT_TRUE(defaults.asynchronous);
  const CheckpointConfig changed = loaded("{save_every_steps: 0, keep_last: 1, keep_every: 10, asynchronous: false}");
  EXPECT_EQ(show(loaded(show(changed))), show(changed));
  EXPECT_EQ(changed.keep_every, 10);
  EXPECT_FALSE(changed.asynchronous);
}

TEST(CheckpointConfig, AtLeastOneIsKept) {
  EXPECT_ERROR(loaded("keep_last: 0"), UsageError, HasSubstr("keep_last is \"0\""), HasSubstr("from 1 to"));
  EXPECT_ERROR(loaded("keep_every: -1"), UsageError, HasSubstr("keep_every"));
}

}  // namespace
}  // namespace verbund
