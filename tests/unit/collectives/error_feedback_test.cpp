// SPDX-License-Identifier: Apache-2.0
#include "collectives/wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace verbund {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// What the handler of a message gets.
std::vector<float> sent(ErrorFeedback& feedback, size_t chunk, size_t part, std::vector<float> values) {
  std::vector<std::byte> message(wire_size(Wire::kInt8, values.size()));
  feedback.encode(Wire::kInt8, chunk, part, values, message.data());
  std::vector<float> received(values.size());
  decode(Wire::kInt8, message.data(), received);
  EXPECT_EQ(values, received);
  return received;
}

TEST(ErrorFeedback, WhatIsRoundedAwayComesLater) {
  ErrorFeedback feedback;
  EXPECT_THAT(sent(feedback, 0, 0, {127, 0.25f}), ElementsAre(127, 0));
  EXPECT_THAT(feedback.residual(0, 0), ElementsAre(0, 0.25f));
  EXPECT_THAT(sent(feedback, 0, 0, {127, 0.25f}), ElementsAre(127, 0));  // 0.5 is nearest to the even 0
  EXPECT_THAT(sent(feedback, 0, 0, {127, 0.25f}), ElementsAre(127, 1));
  EXPECT_THAT(feedback.residual(0, 0), ElementsAre(0, -0.25f));
}

TEST(ErrorFeedback, ChunksAndPartsAreKeptApart) {
  ErrorFeedback feedback;
  sent(feedback, 3, 0, {127, 0.25f});
  sent(feedback, 3, 1, {127, -0.25f});
  EXPECT_THAT(feedback.residual(3, 0), ElementsAre(0, 0.25f));
  EXPECT_THAT(feedback.residual(3, 1), ElementsAre(0, -0.25f));
  EXPECT_THAT(feedback.residual(2, 0), IsEmpty());
  feedback.set_residual(2, 0, std::vector<float>{0, 1});
  EXPECT_THAT(sent(feedback, 2, 0, {127, 1}), ElementsAre(127, 2));
}

TEST(ErrorFeedback, FollowsTheScaleOfGradients) {
  ErrorFeedback feedback;
  sent(feedback, 0, 0, {127, 0.25f});
  feedback.multiply(4);
  EXPECT_THAT(sent(feedback, 0, 0, {127, 0}), ElementsAre(127, 1));
  sent(feedback, 0, 0, {127, 0.25f});
  feedback.clear();
  EXPECT_THAT(feedback.residual(0, 0), IsEmpty());
}

TEST(ErrorFeedback, NothingIsLeftOfWhatIsNotFinite) {
  for (const float bad : {std::numeric_limits<float>::infinity(), std::nanf("")}) {
    ErrorFeedback feedback;
    std::vector<float> values = {127, 0.25f, bad};
    std::vector<std::byte> message(wire_size(Wire::kInt8, values.size()));
    feedback.encode(Wire::kInt8, 0, 0, values, message.data());
    for (const float value : values) EXPECT_TRUE(std::isnan(value));
    EXPECT_THAT(feedback.residual(0, 0), Each(0));
    EXPECT_THAT(sent(feedback, 0, 0, {127, 0.25f, 1}), ElementsAre(127, 0, 1));
  }
}

}  // namespace
}  // namespace verbund
