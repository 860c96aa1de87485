// What computes, and in which precision.
#pragma once

namespace verbund {

enum class DeviceChoice { kAuto, kCpu, kCuda, kEmulated };
inline constexpr const char* kDeviceNames[] = {"auto", "cpu", "cuda", "emulated"};

// What the factors of products are rounded to; sums are fp32.
enum class Precision { kFp32, kTf32, kBf16, kFp16 };
inline constexpr const char* kPrecisionNames[] = {"fp32", "tf32", "bf16", "fp16"};

}  // namespace verbund
