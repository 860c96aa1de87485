// SPDX-License-Identifier: Apache-2.0
// ModelConfig: the shape of the Transformer, its dropout and its loss.
#pragma once

#include <cstdint>

#include "config/fields.h"

namespace verbund {

enum class NormPlace { kPre, kPost };
enum class Sharing { kAll, kTarget, kNone };
enum class Activation { kRelu, kSwish, kGelu };
enum class Positions { kHalves, kHuggingFace, kInterleaved };

struct ModelConfig {
  int64_t encoder_layers = 6;
  int64_t decoder_layers = 6;
  int64_t d_model = 512;
  int64_t heads = 8;
  int64_t d_ff = 2048;
  double dropout = 0.1;
  double attention_dropout = 0.1;
  double relu_dropout = 0.1;
  NormPlace norm = NormPlace::kPre;
  double norm_epsilon = 1e-6;
  Sharing share_embeddings = Sharing::kAll;
  bool attention_bias = false;
  bool ff_bias = true;
  Activation activation = Activation::kRelu;
  Positions positions = Positions::kHalves;
  bool scale_embeddings = true;
  bool output_bias = false;
  double label_smoothing = 0.1;

  void fields(FieldVisitor& visit) {
    visit.field("encoder_layers", encoder_layers, {1, 100}, "layers of the encoder");
    visit.field("decoder_layers", decoder_layers, {1, 100}, "layers of the decoder");
    visit.field("d_model", d_model, {8, 16384}, "width of the model; even, a multiple of heads");
    visit.field("heads", heads, {1, 256}, "attention heads");
    visit.field("d_ff", d_ff, {8, 65536}, "width of the feed-forward layers");
    visit.field("dropout", dropout, {0, 0.9}, "after embeddings and after each sublayer");
    visit.field("attention_dropout", attention_dropout, {0, 0.9}, "dropout of attention weights");
    visit.field("relu_dropout", relu_dropout, {0, 0.9}, "inside the feed-forward layers");
    visit.choice("norm", norm, {"pre", "post"}, "layer norm before each sublayer (pre) or after the residual (post)");
    visit.field("norm_epsilon", norm_epsilon, {1e-12, 0.1}, "added to the variance in layer norms");
    visit.choice("share_embeddings", share_embeddings, {"all", "target", "none"},
                 "all: one matrix for source, target and output, needs a joint vocabulary; target: one for target and "
                 "output; none");
    visit.field("attention_bias", attention_bias, "biases in the attention projections");
    visit.field("ff_bias", ff_bias, "biases in the feed-forward layers");
    visit.choice("activation", activation, {"relu", "swish", "gelu"}, "inside the feed-forward layers");
    visit.choice("positions", positions, {"halves", "huggingface", "interleaved"},
                 "sinusoids; halves: first all sines, then all cosines, as in OpenSeq2Seq and Marian; huggingface: the "
                 "same with the wavelengths of its Marian class; interleaved: sine and cosine in turn");
    visit.field("scale_embeddings", scale_embeddings, "multiply embeddings by the square root of d_model");
    visit.field("output_bias", output_bias, "a bias for each piece of the output");
    visit.field("label_smoothing", label_smoothing, {0, 0.9}, "share of the probability given to the other tokens");
  }
};

}  // namespace verbund
