// Looks at a model with its averaged weights, if there are any, while this lives.
#pragma once

#include "model/transformer.h"
#include "optim/ema.h"

namespace verbund {

class AveragedWeights {
 public:
  AveragedWeights(TranslationModel& model, WeightAverage& average) : model_(model), average_(average) { swap(); }
  ~AveragedWeights() { swap(); }
  AveragedWeights(const AveragedWeights&) = delete;
  AveragedWeights& operator=(const AveragedWeights&) = delete;

 private:
  void swap() {
    if (!average_.started()) return;
    Buffer& weights = model_.weights().write();
    weights.device().swap({weights.size(), weights.data(), average_.values().data()});
  }

  TranslationModel& model_;
  WeightAverage& average_;
};

}  // namespace verbund
