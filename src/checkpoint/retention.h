// Which checkpoints have had their time.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "config/checkpoint_config.h"

namespace verbund {

// Of `steps`, in ascending order, those to delete now that `saved` is there. Kept are
// the last `keep_last` of them, those divisible by `keep_every`, and `pinned`. Steps beyond `saved`
// belong to another course of the training and are neither counted nor deleted.
std::vector<int64_t> outdated_steps(const std::vector<int64_t>& steps, int64_t saved, const CheckpointConfig& config,
                                    const std::set<int64_t>& pinned);

}  // namespace verbund
