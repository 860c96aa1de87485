// SPDX-License-Identifier: Apache-2.0
#include "plan/work_stages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/transformer.h"
#include "support/on_cpu.h"

namespace verbund {
namespace {

const TokenCounts kTokens = {100, 90, 1000, 810, 900};
const VocabularySizes kSizes = {20, 20};

ModelConfig tiny(Sharing sharing, NormPlace norm) {
  ModelConfig config;
  config.encoder_layers = 2;
  config.decoder_layers = 3;
  config.d_model = 16;
  config.heads = 2;
  config.d_ff = 32;
  config.share_embeddings = sharing;
  config.norm = norm;
  return config;
}

// "12-40": these values; "rows 1": those of the lookup.
using Told = std::vector<std::string>;

std::string values(Interval interval) { return fmt::format("{}-{}", interval.begin, interval.end); }
std::string rows(size_t lookup) { return fmt::format("rows {}", lookup); }

// What the model itself tells while it goes backward.
Told told_by_the_model(const ModelConfig& config, bool rows_apart) {
  const auto model = make_fused_transformer(cpu(), config, kSizes);
  model->table().initialize(1, model->weights().write().host());
  Batch batch;
  append(batch, {4, 5, 6}, {5, 4}, 0);
  append(batch, {7}, {8, 5, 4}, 1);
  Told told;
  GradientReady ready;
  ready.values = [&](Interval interval) { told.push_back(values(interval)); };
  if (rows_apart) ready.rows = [&](const LookupRows& found) { told.push_back(rows(found.lookup)); };
  model->accumulate(batch, {1, 1, true}, ready);
  return told;
}

Told told_by_stages(const ModelConfig& config, bool rows_apart) {
  Told told;
  for (const WorkStage& stage : work_stages(config, kSizes, kTokens, rows_apart)) {
    if (stage.ready.size() > 0) told.push_back(values(stage.ready));
    if (stage.rows) told.push_back(rows(*stage.rows));
  }
  return told;
}

TEST(WorkStages, GradientsAreReadyInTheOrderThatTheModelTells) {
  for (const Sharing sharing : {Sharing::kAll, Sharing::kTarget, Sharing::kNone}) {
    for (const NormPlace norm : {NormPlace::kPre, NormPlace::kPost}) {
      for (const bool rows_apart : {false, true}) {
        const ModelConfig config = tiny(sharing, norm);
        EXPECT_EQ(told_by_stages(config, rows_apart), told_by_the_model(config, rows_apart));
      }
    }
  }
}

TEST(WorkStages, ASharedEmbeddingIsReadyFirstAfterTheOutputProduct) {
  const auto stages = work_stages(tiny(Sharing::kAll, NormPlace::kPre), kSizes, kTokens, true);
  const auto first =
      std::find_if(stages.begin(), stages.end(), [](const WorkStage& stage) { return stage.ready.size() > 0; });
  EXPECT_EQ(first->name, "output and loss");
  EXPECT_EQ(first->ready, (Interval{0, 20 * 16}));
}

// The GEMMs of base, as bench/gpu_forecast.py has them: 1.52 TFLOP for 4,096 tokens, with attention.
TEST(WorkStages, CountsTheOperationsOfBase) {
  const double n = 4096, length = 1320.5 / 32;  // 9, 24, 40 and 55 tokens
  const TokenCounts tokens = {n, n, n * length, n * length, n * length};
  double gemm = 0, attention = 0;
  for (const WorkStage& stage : work_stages({}, {32768, 32768}, tokens)) {
    gemm += stage.gemm;
    attention += stage.attention;
  }
  const double d = 512, layers = 6;
  const double by_hand = 6 * n * (layers * (4 * d * d + 8 * d * d) + layers * (8 * d * d + 8 * d * d) + 32768 * d);
  EXPECT_NEAR(gemm / by_hand, 1, 1e-9);
  EXPECT_NEAR(gemm + attention, 1.52e12, 0.01e12);
}

}  // namespace
}  // namespace verbund
