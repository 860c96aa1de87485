// SPDX-License-Identifier: Apache-2.0
#include "train/run_opening.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "support/expect_error.h"

namespace verbund {
namespace {

using ::testing::HasSubstr;

ParameterTable made_table() {
  ModelConfig config;
  config.encoder_layers = config.decoder_layers = config.heads = 1;
  config.d_model = config.d_ff = 8;
  return {config, {20, 20}};
}

size_t frozen_count(const std::string& pattern) { return frozen_parameters(made_table(), pattern).size(); }

TEST(Freeze, ParametersByTheirNames) {
  EXPECT_EQ(frozen_count(""), 0u);
  EXPECT_EQ(frozen_count("embedding"), 1u);
  EXPECT_EQ(frozen_count("self\\.qkv"), 2u);
  EXPECT_EQ(frozen_count("^encoder\\..*self\\.(qkv|out)"), 2u);
  EXPECT_EQ(frozen_count("\\.\\d+\\.self\\.qkv"), 2u);
  const std::vector<Interval> frozen = frozen_parameters(made_table(), "^source");
  ASSERT_EQ(frozen.size(), 1u);
  EXPECT_EQ(frozen[0].size(), 160u);
}

TEST(Freeze, PatternsThatMatchNothingOrAreNone) {
  EXPECT_ERROR(frozen_count("wheel"), UsageError, HasSubstr("wheel"), HasSubstr("source.embedding"));
  EXPECT_ERROR(frozen_count("["), UsageError, HasSubstr("["));
}

TEST(Freeze, PatternsThatWouldEndTheProgram) {
  EXPECT_ERROR(frozen_count(std::string(20000, '(') + std::string(20000, ')')), UsageError, HasSubstr("40000"));
  EXPECT_ERROR(frozen_count("((a?){999}){999}"), UsageError, HasSubstr("{999}"));
  EXPECT_EQ(frozen_count(std::string(240, '(') + "embedding" + std::string(240, ')')), 1u);
}

TEST(Freeze, PatternsThatWouldNeverEnd) {
  EXPECT_ERROR(frozen_count("(([a-z._]*)*)*#"), UsageError, HasSubstr("source.embedding"));
  EXPECT_ERROR(frozen_count("(.|.)*(.|.)*(.+)+#"), UsageError, HasSubstr("source.embedding"));
}

}  // namespace
}  // namespace verbund
