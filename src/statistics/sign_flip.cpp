#include "statistics/sign_flip.h"

#include <numeric>

#include "core/random.h"

namespace verbund {

double sign_flip_test(std::span<const double> differences, size_t flips, uint64_t seed) {
  const double seen = std::accumulate(differences.begin(), differences.end(), 0.0);
  Random random(seed, 1);
  size_t reached = 0;
  for (size_t flip = 0; flip < flips; ++flip) {
    double sum = 0;
    uint64_t signs = 0;
    for (size_t i = 0; i < differences.size(); ++i) {
      if (i % 64 == 0) signs = random.next();
      sum += signs >> (i % 64) & 1 ? differences[i] : -differences[i];
    }
    if (sum >= seen) ++reached;
  }
  return static_cast<double>(reached + 1) / static_cast<double>(flips + 1);
}

}  // namespace verbund
