// SPDX-License-Identifier: Apache-2.0
#include "decode/ensemble.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace verbund {

void Ensemble::start() {
  for (DecodableModel* model : models_) model->start_decoding({});
}

void Ensemble::join(const std::vector<Sentence>& sources) {
  for (DecodableModel* model : models_) model->join_decoding(sources);
}

void Ensemble::step(std::span<const NextRow> rows, size_t best_count, bool align) {
  workspace_.reset();
  aligned_.resize(rows.size());
  partitions_.resize(rows.size());
  best_count_ = std::min(best_count, static_cast<size_t>(vocabulary_));
  tokens_.resize(rows.size() * best_count_);
  values_.resize(tokens_.size());
  device_tokens_ = workspace_.take<int32_t>(static_cast<int64_t>(tokens_.size()));
  device_values_ = workspace_.take(static_cast<int64_t>(values_.size()));
  device_partitions_ = workspace_.take(static_cast<int64_t>(partitions_.size()));
  int32_t* aligned = align ? aligned_.data() : nullptr;
  logits_ = models_.size() == 1 ? models_[0]->step(rows, aligned) : mix(rows, aligned);
  find_best(rows.size());
  device_.download(tokens_.data(), device_tokens_, tokens_.size() * sizeof(int32_t));
  device_.download(values_.data(), device_values_, values_.size() * sizeof(float));
  device_.download(partitions_.data(), device_partitions_, partitions_.size() * sizeof(float));
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

void Ensemble::find_best(size_t rows) {
  device_.best_tokens({static_cast<int64_t>(rows), vocabulary_, logits_, static_cast<int64_t>(best_count_),
                       device_tokens_, device_values_, device_partitions_});
}

// The logarithm of the mean of the models' probabilities.
const float* Ensemble::mix(std::span<const NextRow> rows, int32_t* aligned) {
  const auto count = static_cast<int64_t>(rows.size()), size = count * vocabulary_;
  const auto share = 1.0f / static_cast<float>(models_.size());
  float* mixed = workspace_.take(size);
  device_.zero(mixed, static_cast<size_t>(size) * sizeof(float));
  for (size_t i = 0; i < models_.size(); ++i) {
    logits_ = models_[i]->step(rows, i == 0 ? aligned : nullptr);
    find_best(rows.size());
    device_.add_probabilities({count, vocabulary_, logits_, device_partitions_, share, mixed});
  }
  device_.take_logarithm({size, mixed});
  return mixed;
}

std::span<const TokenScore> Ensemble::best(size_t row) const {
  const TokenScore* first = best_.data() + row * best_count_;
  return {first, std::find_if(first, first + best_count_, [](const TokenScore& score) { return score.token < 0; })};
}

double Ensemble::log_probability(size_t row, TokenId token) const {
  float logit = 0;
  device_.download(&logit, logits_ + row * static_cast<size_t>(vocabulary_) + static_cast<size_t>(token),
                   sizeof(logit));
  return logit - partitions_[row];
}

}  // namespace verbund
