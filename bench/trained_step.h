// SPDX-License-Identifier: Apache-2.0
// A training step of a benchmark's model on a batch of random tokens: forward, backward, clip, Adam, dropout on.
#pragma once

#include <omp.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <vector>

#include "bench/shapes.h"
#include "device/device.h"
#include "model/transformer.h"
#include "optim/clip.h"
#include "optim/optimizer.h"

namespace verbund {

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Trains on the same batch again and again.
class Bench {
 public:
  Bench(const Shape& shape, int threads, Device& device)
      : device_(device), threads_(threads), batch_(make_batch(shape)) {
    omp_set_num_threads(threads);
    model_ = make_fused_transformer(device, shape.model, shape.vocabularies);
    change_on_host(model_->weights().write(), [&](std::span<float> values) { model_->table().initialize(1, values); });
    optimizer_ = make_optimizer(device, OptimizerConfig(), model_->weights().size());
    model_->weights().operands();  // brings them up to date, so that the first step is like the others
    device.synchronize();
  }

  double step() {  // returns its time
    const double start = now();
    model_->gradients().zero();
    const Loss loss = model_->accumulate(batch_, {1, losses_.size(), true});
    const double scale = 1.0 / static_cast<double>(loss.tokens);
    const double norm = measure(model_->gradients()).norm * scale;
    optimizer_->step(model_->weights(), model_->gradients(), 3e-4, scale * clip_factor(norm, 1.0));
    device_.synchronize();
    losses_.push_back(loss.smoothed * scale);
    return now() - start;
  }

  bool trains() const { return std::isfinite(losses_.back()) && losses_.back() < losses_.front(); }
  const std::vector<double>& losses() const { return losses_; }
  const Batch& batch() const { return batch_; }
  double tokens() const { return static_cast<double>(batch_.target_tokens()); }
  int threads() const { return threads_; }
  int64_t weights() const { return static_cast<int64_t>(model_->weights().size()); }

 private:
  Device& device_;
  int threads_;
  Batch batch_;
  std::unique_ptr<TranslationModel> model_;
  std::unique_ptr<Optimizer> optimizer_;
  std::vector<double> losses_;
};

}  // namespace verbund
