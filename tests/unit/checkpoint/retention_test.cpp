#include "checkpoint/retention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

CheckpointConfig keep(int64_t last, int64_t every = 0) {
  CheckpointConfig config;
  config.keep_last = last;
  config.keep_every = every;
  return config;
}

TEST(Retention, TheLastAreKept) {
  EXPECT_THAT(outdated_steps({1, 2, 3, 4, 5}, 5, keep(2), {}), ElementsAre(1, 2, 3));
  EXPECT_THAT(outdated_steps({1, 2, 3}, 3, keep(3), {}), IsEmpty());
  EXPECT_THAT(outdated_steps({1, 2, 3}, 3, keep(1000000), {}), IsEmpty());
  EXPECT_THAT(outdated_steps({}, 3, keep(1), {}), IsEmpty());
}

TEST(Retention, EveryKthIsKept) {
  EXPECT_THAT(outdated_steps({500, 1000, 1500, 2000, 2500}, 2500, keep(1, 1000), {}), ElementsAre(500, 1500));
}

TEST(Retention, ThePinnedAreKept) {
  EXPECT_THAT(outdated_steps({1, 2, 3, 4, 5}, 5, keep(1), {2, 4, 99}), ElementsAre(1, 3));
}

TEST(Retention, LaterStepsAreNeitherCountedNorDeleted) {
  EXPECT_THAT(outdated_steps({1, 2, 3, 8, 9}, 3, keep(2), {}), ElementsAre(1));
  EXPECT_THAT(outdated_steps({3, 8, 9}, 3, keep(1), {}), IsEmpty());
}

TEST(Retention, WhatWasJustSavedStaysWhateverIsConfigured) {
  EXPECT_THAT(outdated_steps({1, 2}, 2, keep(0), {}), ElementsAre(1));
}

}  // namespace
}  // namespace verbund
