// SPDX-License-Identifier: Apache-2.0
#include "kernels/kernels.h"

#include <cmath>
#include <vector>

#include "core/error.h"
#include "core/random.h"

namespace verbund {

// Defined by simd/table.cpp, once per instruction set.
namespace baseline {
extern const Kernels kTable;
}
namespace avx2 {
extern const Kernels kTable;
}
namespace avx512 {
extern const Kernels kTable;
}

DropoutKey dropout_key(double rate, uint64_t seed, uint64_t step, uint32_t site) {
  DropoutKey key;
  if (rate <= 0) return key;
  const RandomBlock block = philox(seed, step, site);
  key.key = uint64_t{block[1]} << 32 | block[0];
  key.threshold = static_cast<uint32_t>(std::lround(rate * 65536));
  // Kept elements are scaled by the rate that the 16 bits really give.
  key.scale = static_cast<float>(65536.0 / (65536.0 - key.threshold));
  return key;
}

std::span<const Kernels* const> available_kernels() {
  static const std::vector<const Kernels*> tables = [] {
    std::vector<const Kernels*> able = {&baseline::kTable};
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
      able.push_back(&avx2::kTable);
      if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
          __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) {
        able.push_back(&avx512::kTable);
      }
    }
#endif
    return able;
  }();
  return tables;
}

int64_t partial_sums_size(int64_t columns) { return int64_t{32} * 3 * columns; }

const Kernels& choose_kernels(const std::string& name) {
  const std::span<const Kernels* const> tables = available_kernels();
  if (name.empty()) return *tables.back();
  std::string names;
  for (const Kernels* table : tables) {
    if (table->name == name) return *table;
    names += (names.empty() ? "" : ", ") + std::string(table->name);
  }
  fail_usage("VERBUND_SIMD is \"{}\", but this machine has: {}", name, names);
}

}  // namespace verbund
