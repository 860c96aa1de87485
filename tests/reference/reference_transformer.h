// SPDX-License-Identifier: Apache-2.0
// The reference Transformer is written in plain ATen with autograd: the fused model is tested against it, in single or
// double precision.
#pragma once

#include <memory>
#include <span>

#include "model/transformer.h"

namespace verbund {

std::unique_ptr<TranslationModel> make_reference_transformer(const ModelConfig& config, VocabularySizes vocabularies);

// Loss and gradient in double precision, for checks by finite differences. `values` and
// `gradients` are laid out as in the table; gradients, if not empty, are added to.
Loss reference_loss_in_double(const ModelConfig& config, const ParameterTable& table, std::span<double> values,
                              std::span<double> gradients, const Batch& batch, const Pass& pass);

// Log-probabilities of the token that follows a prefix of a sentence's translation, [v], in double precision, without a
// kv cache. Source and prefix are without <s> and </s>.
std::vector<double> reference_next_log_probabilities(const ModelConfig& config, const ParameterTable& table,
                                                     std::span<double> values, const Sentence& source,
                                                     const Sentence& prefix);

}  // namespace verbund
