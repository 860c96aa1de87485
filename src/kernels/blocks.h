// Work on a flat buffer with all threads, in blocks of a fixed size: what a block computes
// does not depend on the number of threads, so neither does the result.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/interval.h"

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace verbund {

// Numbers below 1e-38 count as zero while this lives. A moment that nothing feeds any more
// decays into that range and stays there, where some processors are 100 times slower.
class FlushDenormals {
 public:
#if defined(__SSE__)
  FlushDenormals() : before_(_mm_getcsr()) { _mm_setcsr(before_ | kFlushToZero | kDenormalsAreZero); }
  ~FlushDenormals() { _mm_setcsr(before_); }
#else
  FlushDenormals() {}
#endif
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
  static constexpr unsigned kFlushToZero = 0x8000, kDenormalsAreZero = 0x0040;
  [[maybe_unused]] unsigned before_ = 0;
};

inline constexpr size_t kBlockSize = 32768;  // values

inline size_t block_count(size_t size) { return (size + kBlockSize - 1) / kBlockSize; }

// Calls work(block's number, its interval) for all blocks of `whole`, in no fixed order.
template <typename Work>
void for_each_block(Interval whole, const Work& work) {
  const auto blocks = static_cast<int64_t>(block_count(whole.size()));
#pragma omp parallel if (blocks > 1)
  {
    const FlushDenormals flush;
#pragma omp for schedule(static)
    for (int64_t block = 0; block < blocks; ++block) {
      const size_t begin = whole.begin + static_cast<size_t>(block) * kBlockSize;
      work(static_cast<size_t>(block), Interval{begin, std::min(begin + kBlockSize, whole.end)});
    }
  }
}

}  // namespace verbund
