// SPDX-License-Identifier: Apache-2.0
// BatchFacts describes the batches of a training run: counted with the batch plan of training, or assumed without a
// dataset.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "config/config.h"
#include "data/dataset.h"
#include "mixture/mixture_progress.h"
#include "model/parameters.h"
#include "plan/work_stages.h"

namespace verbund {

// Means over steps.
struct BatchFacts {
  double source_tokens = 0, target_tokens = 0;      // of all workers
  TokenCounts worker;                               // of the worker with the most work
  TokenCounts last;                                 // of its last micro-batch, which hides the exchange
  double largest_micro_batch = 0;                   // tokens, both sides
  double distinct_source = 0, distinct_target = 0;  // distinct tokens of a worker
  double steps_per_epoch = 0;                       // 0: not known
};

class BatchSource {
 public:
  virtual ~BatchSource() = default;
  virtual BatchFacts facts(const Config& config, int workers) = 0;
  virtual VocabularySizes vocabularies() const = 0;
  virtual std::string source() const = 0;  // of the facts, for people
  virtual bool assumed() const = 0;
};

class BatchesOfDataset : public BatchSource {
 public:
  explicit BatchesOfDataset(const fs::path& folder) : dataset_(folder) {}

  BatchFacts facts(const Config& config, int workers) override;
  VocabularySizes vocabularies() const override;
  std::string source() const override;
  bool assumed() const override { return false; }

  const Dataset& dataset() const { return dataset_; }
  // Cached: making one takes a second for some million pairs.
  const BatchPlan& plan_of(const Config& config);

 private:
  Dataset dataset_;
  std::map<int64_t, std::unique_ptr<BatchPlan>> plans_;  // by batch.tokens
};

// Full batches of sentences of one length, with tokens distributed as words: the k-th is 1/k as frequent as the first.
class AssumedBatches : public BatchSource {
 public:
  // `distinct`: distinct tokens of a worker per side and step; 0: estimated.
  AssumedBatches(VocabularySizes vocabularies, double length, double distinct = 0)
      : vocabularies_(vocabularies), length_(length), distinct_(distinct) {}

  BatchFacts facts(const Config& config, int workers) override;
  VocabularySizes vocabularies() const override { return vocabularies_; }
  std::string source() const override;
  bool assumed() const override { return true; }

 private:
  VocabularySizes vocabularies_;
  double length_, distinct_;
};

// Expected number of distinct ones among `tokens` tokens, if they are distributed as words.
double expected_distinct(double tokens, int64_t vocabulary);

}  // namespace verbund
