// SPDX-License-Identifier: Apache-2.0
// layer_parts lists the linear maps and norms of a model's layers as other systems store them, one matrix each. A
// parameter here may stack several of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/model_config.h"

namespace verbund {

struct LayerPart {
  std::string side;         // "encoder" or "decoder"
  int64_t layer = 0;        // kLastNorm: the norm after the last layer
  std::string name;         // "self.q", "cross.norm", "ff.in"
  std::string huggingface;  // "self_attn.q_proj"
  std::string ours;         // the parameter that holds it, without its ending: "encoder.0.self.qkv"
  int64_t out = 0;          // width of its result
  int64_t in = 0;           // width of its input; 0: it is a norm
  int64_t number = 0;       // its place among the parts of the parameter

  static constexpr int64_t kLastNorm = -1;
  bool is_norm() const { return in == 0; }
};

// All layer parts; those of one parameter in the order of their numbers.
std::vector<LayerPart> layer_parts(const ModelConfig& config);

// "model.encoder.layers.0.self_attn.q_proj", in Hugging Face's Marian and Pegasus.
std::string huggingface_name(const LayerPart& part);

}  // namespace verbund
