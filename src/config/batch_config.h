// How training pairs become batches.
#pragma once

#include <cstdint>

#include "config/fields.h"

namespace verbund {

struct BatchConfig {
  int64_t tokens = 25000;  // what the Transformer's published settings were found with
  int64_t max_length = 100;
  int64_t bucket_batches = 8;
  bool shuffle = true;

  void fields(FieldVisitor& visit) {
    visit.field("tokens", tokens, {1, 100000000},
                "most target tokens of a batch, and most source tokens; of all workers together, with each </s>");
    visit.field("max_length", max_length, {1, 1000000},
                "longest side to train on, in tokens with </s>; longer pairs are dropped and counted, not cut");
    visit.field("bucket_batches", bucket_batches, {0, 1000000},
                "so many batches' worth of pairs are sorted by length together; 0: lengths are mixed");
    visit.field("shuffle", shuffle, "a new random order every epoch; false: the order of the dataset");
  }
};

}  // namespace verbund
