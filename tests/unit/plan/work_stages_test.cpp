#include "plan/work_stages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/random.h"
#include "model/transformer.h"
#include "support/on_cpu.h"
#include "support/random_batch.h"

namespace verbund {
namespace {

const TokenCounts kTokens = {100, 90, 1000, 810, 900};

// What the model itself tells while it goes backward: from where on gradients are final.
std::vector<size_t> told_by_the_model(const ModelConfig& config, VocabularySizes sizes) {
  const auto model = make_fused_transformer(cpu(), config, sizes);
  model->table().initialize(1, model->weights().write().host());
  Random random(1, 0);
  Batch batch;
  append(batch, {4, 5, 6}, {5, 4}, 0);
  append(batch, {7}, {8, 5, 4}, 1);
  std::vector<size_t> told;
  model->accumulate(batch, {1, 1, true}, [&](size_t offset) { told.push_back(offset); });
  return told;
}

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

// Wherever the model says that gradients are final, a stage ends with those; and in the same order.
TEST(WorkStages, GradientsAreFinalInTheOrderThatTheModelTells) {
  for (const Sharing sharing : {Sharing::kAll, Sharing::kTarget, Sharing::kNone}) {
    for (const NormPlace norm : {NormPlace::kPre, NormPlace::kPost}) {
      const ModelConfig config = tiny(sharing, norm);
      const VocabularySizes sizes = {20, 20};
      std::vector<size_t> sublayers;  // where those of the layers begin
      const size_t embeddings =
          static_cast<size_t>(ParameterTable(config, sizes).find("encoder.0.self.norm.scale").offset);
      for (const size_t offset : told_by_the_model(config, sizes)) {
        const bool output = sharing == Sharing::kNone &&
                            offset == static_cast<size_t>(ParameterTable(config, sizes).find("output.weight").offset);
        const bool none_yet = offset == static_cast<size_t>(ParameterTable(config, sizes).buffer_size());
        if (!output && !none_yet && offset > embeddings) sublayers.push_back(offset);
      }
      for (const EmbeddingGradients order : {EmbeddingGradients::kFirst, EmbeddingGradients::kLast}) {
        std::vector<size_t> stages;
        for (const WorkStage& stage : work_stages(config, sizes, kTokens, order)) {
          if (stage.backward && stage.ready.size() > 0 && stage.ready.begin > embeddings) {
            stages.push_back(stage.ready.begin);
          }
        }
        EXPECT_EQ(stages, sublayers);
      }
    }
  }
}

TEST(WorkStages, EveryValueIsFinalOnceOrGoesAsRows) {
  for (const Sharing sharing : {Sharing::kAll, Sharing::kTarget, Sharing::kNone}) {
    const ModelConfig config = tiny(sharing, NormPlace::kPre);
    const ParameterTable table(config, {20, 20});
    for (const EmbeddingGradients order : {EmbeddingGradients::kFirst, EmbeddingGradients::kLast}) {
      std::vector<Interval> ready;
      size_t values = 0;
      std::vector<LookedUp> rows;
      for (const WorkStage& stage : work_stages(config, {20, 20}, kTokens, order)) {
        if (stage.ready.size() > 0) ready.push_back(stage.ready);
        values += stage.ready.size();
        if (stage.rows != LookedUp::kNothing) rows.push_back(stage.rows);
      }
      const auto size = static_cast<size_t>(table.buffer_size());
      size_t missing = 0;
      for (const Interval& piece : complement(ready, size)) missing += piece.size();
      EXPECT_EQ(values + missing, size);  // nothing twice
      if (order == EmbeddingGradients::kLast) {
        EXPECT_EQ(missing, 0);
        EXPECT_TRUE(rows.empty());
      } else {
        // Only embeddings that no product shares go as rows alone.
        const size_t embedding = 20 * 16;
        EXPECT_EQ(missing, sharing == Sharing::kAll ? 0 : sharing == Sharing::kTarget ? embedding : 2 * embedding);
        EXPECT_THAT(rows, testing::ElementsAre(LookedUp::kTargetRows, LookedUp::kSourceRows));
      }
    }
  }
}

TEST(WorkStages, ASharedEmbeddingIsFinalFirstAfterTheOutputProduct) {
  const auto stages = work_stages(tiny(Sharing::kAll, NormPlace::kPre), {20, 20}, kTokens, EmbeddingGradients::kFirst);
  const auto first =
      std::find_if(stages.begin(), stages.end(), [](const WorkStage& stage) { return stage.ready.size() > 0; });
  EXPECT_EQ(first->name, "output and loss");
  EXPECT_EQ(first->ready, (Interval{0, 20 * 16}));
}

// The products of base, as bench/gpu_forecast.py has them: 1.52 TFLOP for 4,096 tokens, with attention.
TEST(WorkStages, CountsTheOperationsOfBase) {
  const double n = 4096, length = 1320.5 / 32;  // 9, 24, 40 and 55 tokens
  const TokenCounts tokens = {n, n, n * length, n * length, n * length};
  double products = 0, attention = 0;
  for (const WorkStage& stage : work_stages({}, {32768, 32768}, tokens, EmbeddingGradients::kLast)) {
    products += stage.products;
    attention += stage.attention;
  }
  const double d = 512, layers = 6;
  const double by_hand = 6 * n * (layers * (4 * d * d + 8 * d * d) + layers * (8 * d * d + 8 * d * d) + 32768 * d);
  EXPECT_NEAR(products / by_hand, 1, 1e-9);
  EXPECT_NEAR(products + attention, 1.52e12, 0.01e12);
}

}  // namespace
}  // namespace verbund
