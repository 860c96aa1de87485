// SPDX-License-Identifier: Apache-2.0
// BatchConfig: the size, order and limits of training batches.
#pragma once

#include <cstdint>
#include <string>

#include "config/fields.h"

namespace verbund {

struct BatchConfig {
  int64_t tokens = 25000;  // of the published Transformer settings
  std::string memory_limit;
  int64_t max_length = 100;
  int64_t bucket_batches = 8;
  bool shuffle = true;

  void fields(FieldVisitor& visit) {
    visit.automatic("tokens", tokens, {1, 100000000},
                    "most target tokens of a batch, and most source tokens, of all workers together, including </s>; "
                    "auto: as many as fit into memory_limit");
    visit.field("memory_limit", memory_limit,
                "memory of a worker for tokens: auto, such as 8GB; empty: 80 % of what is free");
    visit.field("max_length", max_length, {1, 1000000},
                "longest side to train on, in tokens including </s>; longer pairs are dropped and counted, not cut");
    visit.field("bucket_batches", bucket_batches, {0, 1000000},
                "number of batches whose pairs are sorted by length together; 0: lengths are mixed");
    visit.field("shuffle", shuffle, "new random order in every epoch; false: the order of the dataset");
  }
};

}  // namespace verbund
