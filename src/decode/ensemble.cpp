#include "decode/ensemble.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace verbund {

void Ensemble::start(const std::vector<Sentence>& sources) {
  for (DecodableModel* model : models_) model->start_decoding(sources);
}

void Ensemble::step(std::span<const NextRow> rows, size_t best_count, bool align) {
  aligned_.resize(rows.size());
  partitions_.resize(rows.size());
  best_count_ = std::min(best_count, static_cast<size_t>(vocabulary_));
  tokens_.resize(rows.size() * best_count_);
  values_.resize(tokens_.size());
  const auto find_best = [&] {
    kernels().best_tokens({static_cast<int64_t>(rows.size()), vocabulary_, logits_, static_cast<int64_t>(best_count_),
                           tokens_.data(), values_.data(), partitions_.data()});
  };
  if (models_.size() > 1) mixed_.assign(rows.size() * static_cast<size_t>(vocabulary_), 0.0f);
  for (size_t i = 0; i < models_.size(); ++i) {
    logits_ = models_[i]->step(rows, align && i == 0 ? aligned_.data() : nullptr);
    find_best();
    if (models_.size() > 1) mix(rows.size());
  }
  if (models_.size() > 1) {
    for (float& value : mixed_) value = std::log(value);
    logits_ = mixed_.data();
    find_best();
  }
  for (const float partition : partitions_) {
    if (!std::isfinite(partition)) {
      fail(
          "the model's output is {} where probabilities should be: its weights are damaged or training diverged. "
          "Use an earlier checkpoint.",
          partition);
    }
  }
  best_.resize(tokens_.size());
  for (size_t i = 0; i < best_.size(); ++i) best_[i] = {tokens_[i], values_[i]};
}

// Adds a model's probabilities.
void Ensemble::mix(size_t rows) {
  const auto share = 1.0f / static_cast<float>(models_.size());
#pragma omp parallel for schedule(static)
  for (size_t row = 0; row < rows; ++row) {
    const size_t first = row * static_cast<size_t>(vocabulary_);
    for (size_t i = first; i < first + static_cast<size_t>(vocabulary_); ++i) {
      mixed_[i] += share * std::exp(logits_[i] - partitions_[row]);
    }
  }
}

std::span<const TokenScore> Ensemble::best(size_t row) const {
  const TokenScore* first = best_.data() + row * best_count_;
  return {first, std::find_if(first, first + best_count_, [](const TokenScore& score) { return score.token < 0; })};
}

double Ensemble::log_probability(size_t row, TokenId token) const {
  return logits_[row * static_cast<size_t>(vocabulary_) + static_cast<size_t>(token)] - partitions_[row];
}

}  // namespace verbund
