// SPDX-License-Identifier: Apache-2.0
// Ensemble makes several models act as one: the probability of a token is the mean of theirs.
#pragma once

#include <span>
#include <vector>

#include "device/workspace.h"
#include "model/transformer.h"

namespace verbund {

struct TokenScore {
  TokenId token;
  float log_probability;
};

// Ensemble averages models with the same target vocabulary on the same device; a single model has no extra cost.
class Ensemble {
 public:
  Ensemble(std::span<DecodableModel* const> models, int64_t vocabulary)
      : models_(models.begin(), models.end()),
        device_(models_.front()->weights().device()),
        vocabulary_(vocabulary),
        workspace_(device_) {}

  // Starts again, without sentences.
  void start();
  // See DecodableModel::join_decoding.
  void join(const std::vector<Sentence>& sources);
  // Adds a token to each row; the functions below then describe the possible next tokens.
  void step(std::span<const NextRow> rows, size_t best_count, bool align);

  // The possible tokens, the most likely first: at least one, at most best_count.
  std::span<const TokenScore> best(size_t row) const;
  double log_probability(size_t row, TokenId token) const;
  int32_t aligned(size_t row) const { return aligned_[row]; }  // by the first model

 private:
  void find_best(size_t rows);
  const float* mix(std::span<const NextRow> rows, int32_t* aligned);

  std::vector<DecodableModel*> models_;  // all on this device
  Device& device_;
  int64_t vocabulary_;
  Workspace workspace_;
  size_t best_count_ = 0;
  // Results in the device's memory: [rows, v], [rows, best_count], [rows, best_count], [rows].
  const float* logits_ = nullptr;
  int32_t* device_tokens_ = nullptr;
  float *device_values_ = nullptr, *device_partitions_ = nullptr;
  std::vector<int32_t> tokens_, aligned_;
  std::vector<float> values_, partitions_;
  std::vector<TokenScore> best_;
};

}  // namespace verbund
