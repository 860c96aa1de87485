// SPDX-License-Identifier: Apache-2.0
// TranslationModel is a Transformer on one device: the loss of a packed batch, and its gradient added to one flat
// buffer. Losses are sums, never means: the caller that divides knows the tokens of all ranks.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "config/model_config.h"
#include "data/batch.h"
#include "device/weights.h"
#include "model/batch_view.h"
#include "model/gradient_order.h"
#include "model/parameters.h"

namespace verbund {

// Sums over the target tokens of a batch.
struct Loss {
  double smoothed = 0;       // what training minimises
  double cross_entropy = 0;  // cross-entropy, for perplexity
  int64_t tokens = 0;
  int64_t correct = 0;  // tokens whose most likely prediction is the target

  Loss& operator+=(const Loss& other);
  double mean() const { return tokens == 0 ? 0 : smoothed / static_cast<double>(tokens); }
};

// The interface of the fused model and of the reference model.
class TranslationModel {
 public:
  virtual ~TranslationModel() = default;

  // Loss without gradient.
  virtual Loss evaluate(const Batch& batch) = 0;
  // Loss; the gradient of its smoothed sum times the pass's loss_scale is added to `gradients()`, except for the rows
  // that `ready` receives separately. For a batch without sentences no callback is called.
  virtual Loss accumulate(const Batch& batch, const Pass& pass, const GradientReady& ready) = 0;
  Loss accumulate(const Batch& batch, const Pass& pass) { return accumulate(batch, pass, GradientReady()); }
  // The most likely next token after each target_input token of the batch, [T].
  virtual std::vector<TokenId> predict(const Batch& batch) = 0;

  virtual Weights& weights() = 0;
  virtual Buffer& gradients() = 0;
  virtual const ParameterTable& table() const = 0;
};

// DecodableModel can also translate: token by token, many unfinished sentences (rows) at a time.
class DecodableModel : public TranslationModel {
 public:
  // Encodes source sentences (without </s>), which the following steps translate, and forgets earlier ones. In the
  // first step, NextRow::parent is the index of a sentence. Any other call of the model ends decoding.
  virtual void start_decoding(const std::vector<Sentence>& sources) = 0;
  // Encodes sentences that join those under way. In the next step they are parents too, after the rows of the last one.
  virtual void join_decoding(const std::vector<Sentence>& sources) = 0;
  // Logits of the next token of each row in the device's memory, [rows, v], valid until the next call. `aligned`, if
  // not null, receives the source position that each row's last token attends to most.
  virtual const float* step(std::span<const NextRow> rows, int32_t* aligned) = 0;

  using TranslationModel::evaluate;
  // The same loss; `cross_entropies` receives that of each target_output token of the batch, [T].
  virtual Loss evaluate(const Batch& batch, std::span<double> cross_entropies) = 0;
  // The natural logarithm of the probability of each target_output token of the batch, [T].
  virtual std::vector<double> token_log_probabilities(const Batch& batch) = 0;
};

std::unique_ptr<DecodableModel> make_fused_transformer(Device& device, const ModelConfig& config,
                                                       VocabularySizes vocabularies);

}  // namespace verbund
