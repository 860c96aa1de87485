#include "kernels/kernels.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>

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
  // What is kept is scaled by the rate that the 16 bits really give.
  key.scale = static_cast<float>(65536.0 / (65536.0 - key.threshold));
  return key;
}

int available_kernels(const Kernels** tables, int capacity) {
  int count = 0;
  const auto add = [&](const Kernels& table) {
    if (count < capacity) tables[count++] = &table;
  };
  add(baseline::kTable);
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    add(avx2::kTable);
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq")) {
      add(avx512::kTable);
    }
  }
#endif
  return count;
}

int64_t partial_sums_size(int64_t columns) { return int64_t{32} * 3 * columns; }

const Kernels& kernels() {
  static const Kernels& chosen = [&]() -> const Kernels& {
    const Kernels* tables[4];
    const int count = available_kernels(tables, 4);
    const char* wish = std::getenv("VERBUND_SIMD");
    if (wish == nullptr || *wish == '\0') return *tables[count - 1];
    std::string names;
    for (int i = 0; i < count; ++i) {
      if (std::strcmp(tables[i]->name, wish) == 0) return *tables[i];
      names += std::string(i > 0 ? ", " : "") + tables[i]->name;
    }
    fail_usage("VERBUND_SIMD is \"{}\", but this machine has: {}", wish, names);
  }();
  return chosen;
}

}  // namespace verbund
