#include "doctor/small_step.h"

#include <cmath>

#include "core/random.h"
#include "model/transformer.h"

namespace verbund {
namespace {

constexpr uint64_t kSeed = 5;
constexpr int64_t kVocabulary = 300;
constexpr uint64_t kSentences = 8, kLongest = 20;
constexpr float kLossScale = 64;  // half precision rounds small gradients away without

ModelConfig small_model() {
  ModelConfig config;
  config.encoder_layers = config.decoder_layers = 2;
  config.d_model = 64;
  config.heads = 4;
  config.d_ff = 128;
  return config;
}

Batch small_batch() {
  Random random(kSeed, 1);
  const auto sentence = [&] {
    Sentence tokens(1 + random.below(kLongest));
    for (TokenId& token : tokens) token = static_cast<TokenId>(random.below(kVocabulary));
    return tokens;
  };
  Batch batch;
  for (uint64_t name = 0; name < kSentences; ++name) {
    const Sentence source = sentence();
    append(batch, source, sentence(), name);
  }
  return batch;
}

}  // namespace

StepFacts small_step(Device& device) {
  const auto model = make_fused_transformer(device, small_model(), {kVocabulary, kVocabulary});
  std::vector<float> weights(model->weights().size());
  model->table().initialize(kSeed, weights);
  model->weights().write().upload(weights);
  Pass pass;
  pass.seed = kSeed;
  pass.loss_scale = kLossScale;
  const Loss loss = model->accumulate(small_batch(), pass);
  const Interval all = {0, model->gradients().size()};
  const Magnitude gradient = device.measure(model->gradients().data(), {&all, 1});
  return {loss.mean(), std::sqrt(gradient.squares) / (kLossScale * static_cast<double>(loss.tokens))};
}

}  // namespace verbund
