// What is known of a device, for logs and records.
#pragma once

#include <cstdint>
#include <string>

namespace verbund {

struct DeviceFacts {
  std::string kind;         // "cpu", "cuda" or "emulated"
  std::string name;         // "avx512", "Tesla V100-SXM2-16GB"
  int number = 0;           // of the GPU, among those that the process sees
  std::string uuid;         // of a GPU, or of its part: the same whoever sees it
  int architecture = 0;     // of a GPU: 70 for sm_70
  uint64_t memory = 0;      // of a GPU, bytes
  std::string libraries;    // of a GPU: driver, NVRTC and cuBLAS with their versions
  std::string description;  // one line of all this, for people
};

struct MemoryUse {
  uint64_t free = 0, total = 0;
  uint64_t taken = 0;  // by this device's user
};

}  // namespace verbund
