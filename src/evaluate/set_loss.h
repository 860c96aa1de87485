// The loss of a model on given translations: of all of them, and of each.
#pragma once

#include "collectives/workers.h"
#include "evaluate/test_set.h"
#include "model/transformer.h"

namespace verbund {

struct SentenceLoss {
  double cross_entropy = 0;  // nats, summed over the target's tokens, without smoothing
  int64_t tokens = 0;        // with </s>
};

struct SetLoss {
  Loss sum;
  std::vector<SentenceLoss> sentences;  // in the order of the set
};

// Without dropout, by all workers together; the same on all, and what a single worker would get.
SetLoss loss_on(DecodableModel& model, const TestSet& set, Workers& workers);

}  // namespace verbund
