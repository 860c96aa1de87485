// SPDX-License-Identifier: Apache-2.0
// WorkStage is a part of a training step: its amount of work, and the gradients that are ready after it. The list of
// stages follows the forward and backward pass of model/fused_transformer.cpp sublayer by sublayer; a test compares it
// with the order that the model itself reports.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/model_config.h"
#include "core/interval.h"
#include "model/gradient_order.h"
#include "model/parameters.h"

namespace verbund {

// Tokens of one worker's micro-batch.
struct TokenCounts {
  double source = 0, target = 0;  // tokens with </s>
  // Sums over sentences of length times length, for attention.
  double source_pairs = 0, target_pairs = 0, cross_pairs = 0;

  TokenCounts& operator+=(const TokenCounts& other);
  TokenCounts operator*(double factor) const;
};

struct WorkStage {
  std::string name;
  bool backward = false;
  double gemm = 0;             // floating-point operations of GEMMs
  double attention = 0;        // operations of attention, without its projections
  double bytes = 0;            // moved by everything else, with GEMM operands in fp32
  double half_bytes = 0;       // the same with operands in 16 bits
  Interval ready;              // of the gradient buffer: ready after this stage
  std::optional<size_t> rows;  // the lookup (of GradientOrder) whose rows are ready after it
};

// `rows_apart`: rows of looked-up tokens are exchanged separately, as on CPUs; else embeddings are dense, and ready
// last.
std::vector<WorkStage> work_stages(const ModelConfig& config, VocabularySizes vocabularies, const TokenCounts& tokens,
                                   bool rows_apart = false);

// The order in which the exchange forms its buckets.
GradientOrder gradient_order(const ModelConfig& config, const ParameterTable& table, bool rows_apart);

}  // namespace verbund
