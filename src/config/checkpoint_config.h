// SPDX-License-Identifier: Apache-2.0
// CheckpointConfig: the interval of checkpoints, and which of them are kept.
#pragma once

#include <cstdint>

#include "config/fields.h"

namespace verbund {

struct CheckpointConfig {
  int64_t save_every_steps = 1000;
  int64_t keep_last = 5;
  int64_t keep_every = 0;
  bool asynchronous = true;

  void fields(FieldVisitor& visit) {
    visit.field("save_every_steps", save_every_steps, {0, INT64_MAX},
                "steps between checkpoints; 0: only when training ends or is interrupted");
    visit.field("keep_last", keep_last, {1, 1000000}, "number of newest checkpoints to keep");
    visit.field("keep_every", keep_every, {0, INT64_MAX},
                "checkpoints of steps divisible by this are never deleted; 0: none");
    visit.field("asynchronous", asynchronous,
                "write from a copy in memory while training continues; false: no copy, training waits");
  }
};

}  // namespace verbund
