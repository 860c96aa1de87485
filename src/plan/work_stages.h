// A training step as the list of what the model computes, in its order: how much work each part is, and which gradients
// are final after it. It follows both passes of model/fused_transformer.cpp sublayer by sublayer; a test
// compares the order with what the model itself tells.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/model_config.h"
#include "core/interval.h"
#include "model/gradient_order.h"
#include "model/parameters.h"

namespace verbund {

// What one worker computes at once.
struct TokenCounts {
  double source = 0, target = 0;  // tokens with </s>
  // Sums over sentences of length times length: what attention works on.
  double source_pairs = 0, target_pairs = 0, cross_pairs = 0;

  TokenCounts& operator+=(const TokenCounts& other);
  TokenCounts operator*(double factor) const;
};

struct WorkStage {
  std::string name;
  bool backward = false;
  double products = 0;         // operations of matrix products
  double attention = 0;        // operations of attention, beside its projections
  double bytes = 0;            // that all else reads and writes, with factors of products in fp32
  double half_bytes = 0;       // the same with factors in 16 bits
  Interval ready;              // of the gradient buffer: ready after this stage
  std::optional<size_t> rows;  // the lookup (of GradientOrder) whose rows are ready then
};

// `rows_apart`: rows of looked-up tokens are told apart, as CPUs do; else embeddings are ready last, as all else.
std::vector<WorkStage> work_stages(const ModelConfig& config, VocabularySizes vocabularies, const TokenCounts& tokens,
                                   bool rows_apart = false);

// The order that the exchange cuts its buckets by.
GradientOrder gradient_order(const ModelConfig& config, const ParameterTable& table, bool rows_apart);

}  // namespace verbund
