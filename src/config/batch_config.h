// How training pairs become batches.
#pragma once

#include <cstdint>
#include <string>

#include "config/fields.h"

namespace verbund {

struct BatchConfig {
  int64_t tokens = 25000;  // what the Transformer's published settings were found with
  std::string memory_limit;
  int64_t max_length = 100;
  int64_t bucket_batches = 8;
  bool shuffle = true;

  void fields(FieldVisitor& visit) {
    visit.automatic("tokens", tokens, {1, 100000000},
                    "most target tokens of a batch, and most source tokens; of all workers together, with each </s>; "
                    "auto: as many as fit into memory_limit at once");
    visit.field("memory_limit", memory_limit,
                "for tokens: auto, the memory of a worker, such as 8GB; empty: 80 % of what is free");
    visit.field("max_length", max_length, {1, 1000000},
                "longest side to train on, in tokens with </s>; longer pairs are dropped and counted, not cut");
    visit.field("bucket_batches", bucket_batches, {0, 1000000},
                "so many batches' worth of pairs are sorted by length together; 0: lengths are mixed");
    visit.field("shuffle", shuffle, "a new random order every epoch; false: the order of the dataset");
  }
};

}  // namespace verbund
