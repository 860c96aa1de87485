// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/show.h"
#include "train/run_opening.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> differences(const std::string& state, const Config& now = {},
                                     const std::string& dataset = "1") {
  return differences_that_matter(show(Config()), show(now), state, dataset, "a 50 %, b 50 %", "a 90 %, b 10 %");
}

const std::string kSameMixture = R"({"dataset": "1", "mixture": {"description": "a 50 %, b 50 %"}})";

TEST(Compatibility, WhatChangesTheResultIsNamed) {
  EXPECT_THAT(differences(kSameMixture), IsEmpty());
  Config now;
  now.model.dropout = 0.3;
  now.train.max_steps = 7;  // may change
  EXPECT_THAT(differences(kSameMixture, now), ElementsAre(AllOf(HasSubstr("model.dropout was 0.1"), HasSubstr("0.3"))));
  EXPECT_THAT(differences(kSameMixture, {}, "2"), ElementsAre(HasSubstr("was 1, is now 2")));
}

TEST(Compatibility, AnotherMixtureIsNamed) {
  EXPECT_THAT(differences(R"({"dataset": "1", "mixture": {"description": "a 70 %, b 30 %"}})"),
              ElementsAre(AllOf(HasSubstr("a 70 %, b 30 %"), HasSubstr("a 50 %, b 50 %"))));
}

// A run of a version without mixtures had none, whatever the resumed one is asked for.
TEST(Compatibility, ARunFromBeforeMixturesHadNone) {
  for (const char* state : {R"({"dataset": "1"})", R"({"dataset": "1", "mixture": {}})"}) {
    EXPECT_THAT(differences(state), ElementsAre(AllOf(HasSubstr("a 90 %, b 10 %"), HasSubstr("a 50 %, b 50 %"))));
  }
}

}  // namespace
}  // namespace verbund
