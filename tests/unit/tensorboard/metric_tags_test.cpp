// SPDX-License-Identifier: Apache-2.0
#include "tensorboard/metric_tags.h"
#include "core/json.h"

#include <gmock/gmock.h>

#include <cmath>

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::FieldsAre;
using ::testing::IsEmpty;
using ::testing::IsNan;

TEST(MetricTags, TheTagsThatUsersKnow) {
  EXPECT_THAT(tagged_values({{"step", 100},
                             {"train_loss", 2.5},
                             {"learning_rate", 0.001},
                             {"gradient_norm", 0.5},
                             {"loss_scale", 1024},
                             {"seconds_per_step", 0.25},
                             {"time", "2026-02-03T04:05:06Z"}}),
              ElementsAre(FieldsAre("train_loss", 2.5), FieldsAre("learning_rate", 0.001),
                          FieldsAre("Loss_Optimization/global_gradient_norm", 0.5),
                          FieldsAre("Loss_Optimization/loss_scale", 1024), FieldsAre("global_step/sec", 4),
                          FieldsAre("time/seconds_per_step", 0.25)));
  EXPECT_THAT(
      tagged_values({{"step", 100}, {"dev_loss", 2}, {"dev_bleu", 26.4}, {"dev_bleu_signature", "nrefs:1"}}),
      ElementsAre(FieldsAre("eval_loss", 2), FieldsAre("Eval_BLEU_Score", 26.4 / 100), FieldsAre("dev/BLEU", 26.4)));
}

TEST(MetricTags, AnExtraDevSetHasItsOwnGroup) {
  EXPECT_THAT(tagged_values({{"dev-law_bleu", 26.4}, {"dev-law_cross_entropy", 2}, {"dev-new.s_chrf", 50}}),
              ElementsAre(FieldsAre("dev-law/BLEU", 26.4), FieldsAre("dev-law/cross_entropy", 2),
                          FieldsAre("dev-new.s/chrF", 50)));
}

TEST(MetricTags, TheSmoothedLossIsCalledSo) {
  EXPECT_THAT(tagged_values({{"train_smoothed_loss", 2.5}, {"dev_smoothed_loss", 2}, {"probe_smoothed_loss", 1}}),
              ElementsAre(FieldsAre("train/smoothed_loss", 2.5), FieldsAre("dev/smoothed_loss", 2),
                          FieldsAre("train/probe_smoothed_loss", 1)));
  for (const char* tag : {"train_loss", "eval_loss", "train/smoothed_loss", "dev/smoothed_loss"}) {
    EXPECT_THAT(tag_description(tag), testing::HasSubstr("label-smoothed")) << tag;
  }
}

TEST(MetricTags, WhatIsNoMeasurementHasNoTag) {
  EXPECT_THAT(tagged_values({{"step", 1}, {"start", 2}, {"at", 3.5}, {"best", true}, {"averaged_weights", false}}),
              IsEmpty());
  EXPECT_THAT(tagged_values({{"step", 1}, {"list", {1, 2}}, {"note", "text"}}), IsEmpty());
}

TEST(MetricTags, NumbersThatJsonCannotWrite) {
  EXPECT_THAT(tagged_values({{"train_loss", nullptr}, {"dev_loss", "NaN"}, {"gradient_norm", "Infinity"}}),
              ElementsAre(FieldsAre("train_loss", IsNan()), FieldsAre("eval_loss", IsNan()),
                          FieldsAre("Loss_Optimization/global_gradient_norm", INFINITY)));
}

TEST(MetricTags, UnknownKeysJoinTheirGroupOrKeepTheirName) {
  EXPECT_THAT(tagged_values({{"dev_ter", 50}, {"exchange_retries", 1}, {"accuracy_1", 0.5}, {"mine/own", 3}}),
              ElementsAre(FieldsAre("dev/ter", 50), FieldsAre("exchange/retries", 1), FieldsAre("accuracy_1", 0.5),
                          FieldsAre("mine/own", 3)));
}

TEST(MetricTags, ANumberSaysWhatItIs) {
  for (const char* tag : {"Eval_BLEU_Score", "dev/BLEU", "best/BLEU", "best/BLEU_step"}) {
    EXPECT_NE(tag_description(tag), "") << tag;
  }
  EXPECT_NE(tag_description("Eval_BLEU_Score"), tag_description("dev/BLEU")) << "one is divided by 100";
  EXPECT_NE(tag_description("best/BLEU"), tag_description("best/BLEU_step"));
  EXPECT_EQ(tag_description("mine/own"), "");
}

TEST(BestSoFar, KeepsTheBestAndItsStep) {
  BestSoFar best;
  EXPECT_THAT(best.after(0, {{"train_loss", 1}}), IsEmpty());
  EXPECT_THAT(best.after(100, {{"eval_loss", 3}, {"dev/BLEU", 20}}),
              ElementsAre(FieldsAre("best/eval_loss", 3), FieldsAre("best/eval_loss_step", 100),
                          FieldsAre("best/BLEU", 20), FieldsAre("best/BLEU_step", 100)));
  EXPECT_THAT(best.after(200, {{"eval_loss", 2}, {"dev/BLEU", 19}}),
              ElementsAre(FieldsAre("best/eval_loss", 2), FieldsAre("best/eval_loss_step", 200),
                          FieldsAre("best/BLEU", 20), FieldsAre("best/BLEU_step", 100)));
  EXPECT_THAT(best.after(250, {{"dev/cross_entropy", 4}}),
              ElementsAre(FieldsAre("best/cross_entropy", 4), FieldsAre("best/cross_entropy_step", 250)));
  EXPECT_THAT(best.after(300, {{"eval_loss", NAN}}), IsEmpty());
}

}  // namespace
}  // namespace verbund
