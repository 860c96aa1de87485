// SPDX-License-Identifier: Apache-2.0
#include "interop/layer_parts.h"

#include <fmt/format.h>

namespace verbund {
namespace {

void add_layer(const std::string& side, int64_t layer, const ModelConfig& config, std::vector<LayerPart>& parts) {
  const int64_t d = config.d_model, f = config.d_ff;
  const std::string own = fmt::format("{}.{}.", side, layer);
  const auto add = [&](const char* name, const char* huggingface, const std::string& ours, int64_t out, int64_t in,
                       int64_t number = 0) {
    parts.push_back({side, layer, name, huggingface, ours, out, in, number});
  };
  add("self.q", "self_attn.q_proj", own + "self.qkv", d, d, 0);
  add("self.k", "self_attn.k_proj", own + "self.qkv", d, d, 1);
  add("self.v", "self_attn.v_proj", own + "self.qkv", d, d, 2);
  add("self.out", "self_attn.out_proj", own + "self.out", d, d);
  add("self.norm", "self_attn_layer_norm", own + "self.norm", d, 0);
  if (side == "decoder") {
    add("cross.q", "encoder_attn.q_proj", own + "cross.q", d, d);
    add("cross.k", "encoder_attn.k_proj", "decoder.cross.kv", d, d, 2 * layer);
    add("cross.v", "encoder_attn.v_proj", "decoder.cross.kv", d, d, 2 * layer + 1);
    add("cross.out", "encoder_attn.out_proj", own + "cross.out", d, d);
    add("cross.norm", "encoder_attn_layer_norm", own + "cross.norm", d, 0);
  }
  add("ff.in", "fc1", own + "ff.in", f, d);
  add("ff.out", "fc2", own + "ff.out", d, f);
  add("ff.norm", "final_layer_norm", own + "ff.norm", d, 0);
}

}  // namespace

std::vector<LayerPart> layer_parts(const ModelConfig& config) {
  std::vector<LayerPart> parts;
  for (const std::string side : {"encoder", "decoder"}) {
    const int64_t layers = side == "encoder" ? config.encoder_layers : config.decoder_layers;
    for (int64_t i = 0; i < layers; ++i) add_layer(side, i, config, parts);
    if (config.norm == NormPlace::kPre) {
      parts.push_back({side, LayerPart::kLastNorm, "norm", "layer_norm", side + ".norm", config.d_model});
    }
  }
  return parts;
}

std::string huggingface_name(const LayerPart& part) {
  if (part.layer == LayerPart::kLastNorm) return fmt::format("model.{}.{}", part.side, part.huggingface);
  return fmt::format("model.{}.layers.{}.{}", part.side, part.layer, part.huggingface);
}

}  // namespace verbund
