// Shuffles the lines of a file uniformly without holding it in memory: lines are dealt to
// buckets at random, and each bucket, small enough for memory, is shuffled by itself.
#pragma once

#include <cstdint>
#include <filesystem>

namespace verbund {

// A pure function of the input and the seed. Every line must end with "\n".
void shuffle_lines(const std::filesystem::path& input, const std::filesystem::path& output, uint64_t seed,
                   uint64_t bucket_bytes = 64 << 20);

}  // namespace verbund
