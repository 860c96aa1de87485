// What a step trains on: counted in batches of the very plan that training follows, or, without a dataset, assumed.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "config/config.h"
#include "data/batch_plan.h"
#include "data/dataset.h"
#include "model/parameters.h"
#include "plan/work_stages.h"

namespace verbund {

// Means over steps.
struct BatchFacts {
  double source_tokens = 0, target_tokens = 0;      // of all workers
  TokenCounts worker;                               // of the one that has most to do
  TokenCounts last;                                 // its last micro-batch, which the exchange is hidden behind
  double largest_micro_batch = 0;                   // tokens of both sides
  double distinct_source = 0, distinct_target = 0;  // different tokens among a worker's
  double steps_per_epoch = 0;                       // 0: not known
};

class BatchSource {
 public:
  virtual ~BatchSource() = default;
  virtual BatchFacts facts(const Config& config, int workers) = 0;
  virtual VocabularySizes vocabularies() const = 0;
  virtual std::string source() const = 0;  // where the facts come from
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
  // Kept: making one takes a second for some million pairs.
  const BatchPlan& plan_of(const Config& config);

 private:
  Dataset dataset_;
  std::map<int64_t, std::unique_ptr<BatchPlan>> plans_;  // by batch.tokens
};

// Full batches of sentences of one length; tokens are as frequent as words are, the k-th one 1/k as often as the first.
class AssumedBatches : public BatchSource {
 public:
  // `distinct`: how many different tokens a worker meets on a side in a step; 0: as many as words would be.
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

// How many different ones there are among so many tokens, if they are as frequent as words.
double expected_distinct(double tokens, int64_t vocabulary);

}  // namespace verbund
