#include "plan/memory_needs.h"

#include <algorithm>

#include "doctor/model_needs.h"

namespace verbund {
namespace {

constexpr double kProgram = 60e6;              // the program itself, and a dataset's pages
constexpr double kLogitsOfCpu = 512;           // rows at a time, as in model/fused_transformer.cpp
constexpr double kBytesOfLogitsOfGpu = 2.6e8;  // 256 MiB at a time

// Floats that a token leaves for the backward pass, in widths of the model: each sublayer keeps its input after the
// norm and the sum before it; attention queries, keys, values and what they mix; feed-forward its hidden layer.
double widths_of_source(const ModelConfig& config) {
  const double hidden = static_cast<double>(config.d_ff) / static_cast<double>(config.d_model);
  return static_cast<double>(config.encoder_layers) * (4 + 4 + hidden) + 2 +
         static_cast<double>(config.decoder_layers) *
             4;  // keys and values of the decoder's layers, and their gradients
}
double widths_of_target(const ModelConfig& config) {
  const double hidden = static_cast<double>(config.d_ff) / static_cast<double>(config.d_model);
  return static_cast<double>(config.decoder_layers) * (6 + 4 + 2 + hidden) + 2;
}

// And those of attention's weights, which have a row of a sentence's length for each token and head.
double weights_of_attention(const ModelConfig& config, const TokenCounts& tokens) {
  const auto heads = static_cast<double>(config.heads);
  return heads * (static_cast<double>(config.encoder_layers) * tokens.source_pairs +
                  static_cast<double>(config.decoder_layers) * (tokens.target_pairs + tokens.cross_pairs));
}

}  // namespace

double memory_of_worker(const Config& config, VocabularySizes vocabularies, const BatchFacts& facts,
                        const ExchangeLayout& layout, bool gpu) {
  const ModelNeeds needs = needs_of_model(config, vocabularies, layout.workers, layout.hosts);
  const ModelConfig& model = config.model;
  const double both = std::max(1.0, facts.worker.source + facts.worker.target);
  const TokenCounts at_once = facts.worker * (facts.largest_micro_batch / both);
  const double floats = static_cast<double>(model.d_model) *
                        (at_once.source * widths_of_source(model) + at_once.target * widths_of_target(model));
  const bool half = gpu && (config.train.precision == Precision::kBf16 || config.train.precision == Precision::kFp16);
  // In 16 bits, what only products read is half as large; sums before a norm stay as they are.
  const double activations = (half ? 2.6 : 4) * floats + 4 * weights_of_attention(model, at_once);
  const auto pieces = static_cast<double>(vocabularies.target);
  const double logits = gpu ? kBytesOfLogitsOfGpu : 4 * pieces * std::min(at_once.target, kLogitsOfCpu);
  const double model_bytes = static_cast<double>(gpu ? needs.gpu_bytes : needs.worker_bytes);
  return model_bytes + activations + logits + (gpu ? 0 : kProgram);
}

}  // namespace verbund
