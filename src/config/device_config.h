// SPDX-License-Identifier: Apache-2.0
// DeviceChoice and Precision: the device that computes, and the compute dtype of its GEMM operands.
#pragma once

namespace verbund {

enum class DeviceChoice { kAuto, kCpu, kCuda, kEmulated };
inline constexpr const char* kDeviceNames[] = {"auto", "cpu", "cuda", "emulated"};

// The compute dtype of GEMM operands; sums are fp32.
enum class Precision { kFp32, kTf32, kBf16, kFp16 };
inline constexpr const char* kPrecisionNames[] = {"fp32", "tf32", "bf16", "fp16"};

}  // namespace verbund
