// SPDX-License-Identifier: Apache-2.0
// The models and batches that the benchmarks train.
#pragma once

#include <string>

#include "core/random.h"
#include "model/transformer.h"

namespace verbund {

struct Shape {
  const char* name;
  ModelConfig model;
  VocabularySizes vocabularies;
  int64_t sentences, longest;
  int rounds;
  int64_t pattern = 0;  // lengths are spread evenly, the same ones after so many sentences; 0: random
};

inline Shape shape_named(const std::string& name) {
  Shape shape = {"base", {}, {32768, 32768}, 64, 62, 3};  // about 2,000 target tokens
  if (name == "big") {
    shape.name = "big";
    shape.model.d_model = 1024;
    shape.model.d_ff = 4096;
    shape.model.heads = 16;
    shape.model.dropout = 0.3;
  } else if (name == "small") {
    shape = {"small", {}, {16384, 16384}, 64, 62, 6};
    shape.model.d_model = 256;
    shape.model.d_ff = 1024;
    shape.model.heads = 4;
    shape.model.encoder_layers = shape.model.decoder_layers = 4;
  } else if (name == "tiny") {
    shape = {"tiny", {}, {10000, 10000}, 64, 62, 12};
    shape.model.d_model = 128;
    shape.model.d_ff = 256;
    shape.model.heads = 4;
    shape.model.encoder_layers = shape.model.decoder_layers = 4;
  }
  return shape;
}

// Of random tokens; `stream` gives others, in sentences of the same lengths.
inline Batch make_batch(const Shape& shape, uint64_t stream = 0) {
  Random random(1, 0), tokens(1, stream);
  Batch batch;
  for (int64_t s = 0; s < shape.sentences; ++s) {
    const auto lengths = static_cast<uint64_t>(shape.longest - 1);
    const uint64_t beyond = shape.pattern == 0 ? random.below(lengths)
                                               : (2 * static_cast<uint64_t>(s % shape.pattern) + 1) * lengths /
                                                     (2 * static_cast<uint64_t>(shape.pattern));
    const auto length = static_cast<int32_t>(2 + beyond);
    for (int32_t i = 0; i < length; ++i) {
      const auto token = [&] {
        return static_cast<TokenId>(tokens.below(static_cast<uint64_t>(shape.vocabularies.target)));
      };
      batch.source.push_back(token());
      batch.target_input.push_back(token());
      batch.target_output.push_back(token());
    }
    batch.source_offsets.push_back(static_cast<int32_t>(batch.source.size()));
    batch.target_offsets.push_back(static_cast<int32_t>(batch.target_input.size()));
    batch.longest_source = batch.longest_target = std::max(batch.longest_target, length);
    batch.sentence_ids.push_back(static_cast<uint64_t>(s));
  }
  return batch;
}

}  // namespace verbund
