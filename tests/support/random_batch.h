// SPDX-License-Identifier: Apache-2.0
// Models and batches of random shape, to compare one computation with another.
#pragma once

#include "core/random.h"
#include "data/batch.h"
#include "model/transformer.h"

namespace verbund {

inline ModelConfig random_model(Random& random) {
  ModelConfig config;
  config.encoder_layers = 1 + static_cast<int64_t>(random.below(3));
  config.decoder_layers = 1 + static_cast<int64_t>(random.below(3));
  config.heads = int64_t{1} << random.below(4);
  config.d_model = config.heads * (2 + 2 * static_cast<int64_t>(random.below(20)));
  config.d_ff = 8 + static_cast<int64_t>(random.below(150));
  config.norm = random.below(2) == 0 ? NormPlace::kPre : NormPlace::kPost;
  config.share_embeddings = static_cast<Sharing>(random.below(3));
  config.attention_bias = random.below(2) == 0;
  config.ff_bias = random.below(2) == 0;
  config.label_smoothing = random.below(3) == 0 ? 0 : 0.1;
  config.dropout = random.below(3) == 0 ? 0 : 0.2;
  config.attention_dropout = random.below(3) == 0 ? 0 : 0.1;
  config.relu_dropout = random.below(3) == 0 ? 0 : 0.3;
  config.activation = static_cast<Activation>(random.below(3));
  config.positions = static_cast<Positions>(random.below(3));
  config.scale_embeddings = random.below(4) != 0;
  config.output_bias = random.below(2) == 0;
  return config;
}

inline Batch random_batch(Random& random, int64_t sentences, int64_t longest, VocabularySizes vocabularies) {
  Batch batch;
  for (int64_t s = 0; s < sentences; ++s) {
    const auto source = static_cast<int32_t>(1 + random.below(static_cast<uint64_t>(longest)));
    const auto target = static_cast<int32_t>(1 + random.below(static_cast<uint64_t>(longest)));
    for (int32_t i = 0; i < source; ++i) {
      batch.source.push_back(static_cast<TokenId>(random.below(static_cast<uint64_t>(vocabularies.source))));
    }
    for (int32_t i = 0; i < target; ++i) {
      batch.target_input.push_back(static_cast<TokenId>(random.below(static_cast<uint64_t>(vocabularies.target))));
      batch.target_output.push_back(static_cast<TokenId>(random.below(static_cast<uint64_t>(vocabularies.target))));
    }
    batch.source_offsets.push_back(batch.source_offsets.back() + source);
    batch.target_offsets.push_back(batch.target_offsets.back() + target);
    batch.longest_source = std::max(batch.longest_source, source);
    batch.longest_target = std::max(batch.longest_target, target);
    batch.sentence_ids.push_back(random.next() >> 20);
  }
  return batch;
}

// Weights that are not too tame: norms' scales and all biases move too.
inline void randomize(std::span<float> values, Random& random) {
  for (float& value : values) value += static_cast<float>(0.1 * (random.uniform() - 0.5));
}

}  // namespace verbund
