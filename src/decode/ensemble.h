// Several models as one: the probability of a token is the mean of what they give it.
#pragma once

#include <span>
#include <vector>

#include "model/transformer.h"

namespace verbund {

struct TokenScore {
  TokenId token;
  float log_probability;
};

// Of models with the same target vocabulary; one is the usual case, and costs nothing more.
class Ensemble {
 public:
  Ensemble(std::span<DecodableModel* const> models, int64_t vocabulary)
      : models_(models.begin(), models.end()), vocabulary_(vocabulary) {}

  void start(const std::vector<Sentence>& sources);
  // One more token of each row; afterwards the functions below tell of what may follow.
  void step(std::span<const NextRow> rows, size_t best_count, bool align);

  // Those that are possible, the likeliest first: at least one, at most best_count.
  std::span<const TokenScore> best(size_t row) const;
  double log_probability(size_t row, TokenId token) const;
  int32_t aligned(size_t row) const { return aligned_[row]; }  // as the first model sees it

 private:
  void mix(size_t rows);

  std::vector<DecodableModel*> models_;
  int64_t vocabulary_;
  const float* logits_ = nullptr;
  size_t best_count_ = 0;
  std::vector<int32_t> tokens_, aligned_;
  std::vector<float> values_, partitions_, mixed_;
  std::vector<TokenScore> best_;
};

}  // namespace verbund
