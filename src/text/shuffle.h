// SPDX-License-Identifier: Apache-2.0
// Uniform shuffle of the lines of a file that need not fit into memory: lines are dealt to random buckets, and each
// bucket is shuffled in memory.
#pragma once

#include <cstdint>
#include <filesystem>

namespace verbund {

// The result depends only on the input and the seed. Every line must end with "\n".
void shuffle_lines(const std::filesystem::path& input, const std::filesystem::path& output, uint64_t seed,
                   uint64_t bucket_bytes = 64 << 20);

}  // namespace verbund
