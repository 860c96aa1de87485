// SPDX-License-Identifier: Apache-2.0
// The emulated cuBLAS: its GEMM against sums in double, and its refusals.
#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "emulated/gemm.h"
#include "emulated/numbers.h"
#include "support/emulated_gpu.h"

namespace verbund::cuda {
namespace {

using emulated::bfloat16_to_float;
using emulated::float_to_bfloat16;
using emulated::float_to_half;
using emulated::half_to_float;

std::vector<float> random_numbers(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random() % 2001) / 1000 - 1;
  return values;
}

// A matrix in memory, of any type: numbers as floats that the type can hold.
struct Stored {
  cudaDataType type;
  int leading;
  std::vector<float> values;
  void* data = nullptr;

  Stored(EmulatedGpu& gpu, cudaDataType its_type, int rows, int columns, int gap, unsigned seed)
      : type(its_type), leading(rows + gap), values(random_numbers(static_cast<size_t>(leading * columns), seed)) {
    if (type == CUDA_R_32F) {
      data = gpu.put(values);
      return;
    }
    std::vector<uint16_t> bits;
    for (float& value : values) {
      bits.push_back(type == CUDA_R_16F ? float_to_half(value) : float_to_bfloat16(value));
      value = type == CUDA_R_16F ? half_to_float(bits.back()) : bfloat16_to_float(bits.back());
    }
    data = gpu.put(bits);
  }
  std::vector<float> read(EmulatedGpu& gpu) const {
    if (type == CUDA_R_32F) return gpu.get(static_cast<const float*>(data), values.size());
    std::vector<float> floats;
    for (const uint16_t bits : gpu.get(static_cast<const uint16_t*>(data), values.size())) {
      floats.push_back(type == CUDA_R_16F ? half_to_float(bits) : bfloat16_to_float(bits));
    }
    return floats;
  }
  double at(bool transposed, int row, int column) const {
    return values[static_cast<size_t>(transposed ? column + row * leading : row + column * leading)];
  }
};

class EmulatedCublas : public ::testing::Test {
 protected:
  EmulatedCublas() {
    EXPECT_EQ(cublas_.cublasCreate_v2(&handle_), CUBLAS_STATUS_SUCCESS);
    EXPECT_EQ(cublas_.cublasSetStream_v2(handle_, gpu_.stream), CUBLAS_STATUS_SUCCESS);
  }
  ~EmulatedCublas() override { cublas_.cublasDestroy_v2(handle_); }

  cublasStatus_t multiply(bool transpose_a, bool transpose_b, int m, int n, int k, const Stored& a, const Stored& b,
                          float beta, const Stored& c, cublasComputeType_t compute = CUBLAS_COMPUTE_32F) {
    const float alpha = 0.5f;
    return cublas_.cublasGemmEx(handle_, transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N,
                                transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N, m, n, k, &alpha, a.data, a.type, a.leading,
                                b.data, b.type, b.leading, &beta, c.data, c.type, c.leading, compute,
                                CUBLAS_GEMM_DEFAULT);
  }

  const Cublas& cublas_ = emulated_libraries().cublas;
  EmulatedGpu gpu_;
  cublasHandle_t handle_ = nullptr;
};

TEST_F(EmulatedCublas, MultipliesAllTypesAndTranspositions) {
  const int m = 37, n = 29, k = 300;
  const std::pair<cudaDataType, cudaDataType> types[] = {{CUDA_R_32F, CUDA_R_32F},
                                                         {CUDA_R_16F, CUDA_R_32F},
                                                         {CUDA_R_16F, CUDA_R_16F},
                                                         {CUDA_R_16BF, CUDA_R_32F},
                                                         {CUDA_R_16BF, CUDA_R_16BF}};
  for (const auto& [factor, result] : types) {
    for (int which = 0; which < 4; ++which) {
      const bool transpose_a = (which & 1) != 0, transpose_b = (which & 2) != 0;
      const float beta = which == 3 ? 0.0f : 2.0f;
      Stored a(gpu_, factor, transpose_a ? k : m, transpose_a ? m : k, 3, 1);
      Stored b(gpu_, factor, transpose_b ? n : k, transpose_b ? k : n, 1, 2);
      Stored c(gpu_, result, m, n, 2, 3);
      ASSERT_EQ(multiply(transpose_a, transpose_b, m, n, k, a, b, beta, c), CUBLAS_STATUS_SUCCESS);
      const std::vector<float> got = c.read(gpu_);
      const double precision = result == CUDA_R_32F ? 1e-5 : result == CUDA_R_16F ? 6e-4 : 5e-3;
      for (int j = 0; j < n; ++j) {
        for (int i = 0; i < c.leading; ++i) {
          const auto index = static_cast<size_t>(i + j * c.leading);
          if (i >= m) {
            ASSERT_EQ(got[index], c.values[index]) << "between the columns nothing is written";
            continue;
          }
          double sum = 0;
          for (int l = 0; l < k; ++l) sum += a.at(transpose_a, i, l) * b.at(transpose_b, l, j);
          const double expected = 0.5 * sum + beta * c.values[index];
          ASSERT_NEAR(got[index], expected, precision * std::max(1.0, std::abs(expected)) * 2)
              << factor << " " << result << " " << which << " " << i << " " << j;
        }
      }
    }
  }
}

TEST_F(EmulatedCublas, ReadsNothingOfTheResultWithBetaZero) {
  Stored a(gpu_, CUDA_R_32F, 4, 4, 0, 1), b(gpu_, CUDA_R_32F, 4, 4, 0, 2), c(gpu_, CUDA_R_32F, 4, 4, 0, 3);
  c.data = gpu_.allocate<float>(16);  // fresh memory is NaN
  ASSERT_EQ(multiply(false, false, 4, 4, 4, a, b, 0, c), CUBLAS_STATUS_SUCCESS);
  for (const float value : c.read(gpu_)) EXPECT_TRUE(std::isfinite(value));
  c.data = gpu_.put(c.values);
  ASSERT_EQ(multiply(false, false, 4, 4, 0, a, b, 2, c), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(c.read(gpu_)[5], 2 * c.values[5]) << "a sum of nothing";
  EXPECT_EQ(multiply(false, false, 0, 4, 4, a, b, 2, c), CUBLAS_STATUS_SUCCESS);
}

TEST_F(EmulatedCublas, RefusesWhatCublasRefuses) {
  Stored a(gpu_, CUDA_R_32F, 8, 4, 0, 1), b(gpu_, CUDA_R_32F, 4, 6, 0, 2), c(gpu_, CUDA_R_32F, 8, 6, 0, 3);
  ASSERT_EQ(multiply(false, false, 8, 6, 4, a, b, 0, c), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(multiply(false, false, -1, 6, 4, a, b, 0, c), CUBLAS_STATUS_INVALID_VALUE);
  Stored rows_first = a;  // as if it were stored row by row
  rows_first.leading = 4;
  EXPECT_EQ(multiply(false, false, 8, 6, 4, rows_first, b, 0, c), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(multiply(true, false, 8, 6, 4, rows_first, b, 0, c), CUBLAS_STATUS_SUCCESS);
  Stored halves(gpu_, CUDA_R_16F, 8, 4, 0, 1);
  EXPECT_EQ(multiply(false, false, 8, 6, 4, halves, b, 0, c), CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(multiply(false, false, 8, 6, 4, a, b, 0, c, CUBLAS_COMPUTE_16F), CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(multiply(false, false, 8, 6, 4, halves, halves, 0, c, CUBLAS_COMPUTE_32F_FAST_TF32),
            CUBLAS_STATUS_NOT_SUPPORTED);
  Stored crooked = a;
  crooked.data = static_cast<char*>(a.data) + 2;
  EXPECT_EQ(multiply(false, false, 7, 6, 4, crooked, b, 0, c), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(multiply(false, false, 8, 6, 4, a, b, 0, a), CUBLAS_STATUS_INVALID_VALUE) << "the result over a factor";
  const float one = 1;
  const auto with_scale = [&](const void* alpha) {
    return cublas_.cublasGemmEx(handle_, CUBLAS_OP_N, CUBLAS_OP_N, 8, 6, 4, alpha, a.data, a.type, 8, b.data, b.type, 4,
                                &one, c.data, c.type, 8, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  };
  EXPECT_EQ(with_scale(nullptr), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(with_scale(a.data), CUBLAS_STATUS_INVALID_VALUE) << "a factor in device memory";
  EXPECT_EQ(gpu_.synchronize(), CUDA_SUCCESS);
}

TEST_F(EmulatedCublas, WhatReachesOutOfItsMemoryIsAnIllegalAddress) {
  Stored a(gpu_, CUDA_R_32F, 8, 4, 0, 1), b(gpu_, CUDA_R_32F, 4, 6, 0, 2), c(gpu_, CUDA_R_32F, 8, 6, 0, 3);
  a.leading = 16;
  EXPECT_EQ(multiply(false, false, 8, 6, 4, a, b, 0, c), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(gpu_.synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(EmulatedCublas, HandlesAreOfOneDevice) {
  Stored a(gpu_, CUDA_R_32F, 8, 4, 0, 1), b(gpu_, CUDA_R_32F, 4, 6, 0, 2), c(gpu_, CUDA_R_32F, 8, 6, 0, 3);
  EXPECT_EQ(cublas_.cublasSetWorkspace_v2(handle_, a.data, 16), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublas_.cublasSetWorkspace_v2(handle_, static_cast<char*>(a.data) + 4, 16), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublas_.cublasSetWorkspace_v2(handle_, handle_, 256), CUBLAS_STATUS_INVALID_VALUE);
  {
    EmulatedGpu other(1);
    EXPECT_EQ(multiply(false, false, 8, 6, 4, a, b, 0, c), CUBLAS_STATUS_INVALID_VALUE);
    EXPECT_EQ(cublas_.cublasSetStream_v2(handle_, other.stream), CUBLAS_STATUS_INVALID_VALUE);
  }
  cublasHandle_t none = nullptr;
  EXPECT_EQ(cublas_.cublasCreate_v2(&none), CUBLAS_STATUS_NOT_INITIALIZED) << "there is no context";
  EXPECT_EQ(cublas_.cublasDestroy_v2(none), CUBLAS_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(cublas_.cublasSetMathMode(none, CUBLAS_DEFAULT_MATH), CUBLAS_STATUS_NOT_INITIALIZED);
}

// A copy that does not wait for the product of another stream: a race, which the build that checks for them sees.
TEST(EmulatedCublasChecked, AResultThatIsNotWaitedForIsARace) {
  if (!std::filesystem::exists(VERBUND_EMULATED_CHECKED "/libcuda.so.1"))
    GTEST_SKIP() << "only `make test-races` builds that device";
  static const CudaLibraries checked = load_emulated(VERBUND_EMULATED_CHECKED);
  for (const bool waits : {true, false}) {
    EmulatedGpu gpu(0, checked);
    cublasHandle_t handle = nullptr;
    ASSERT_EQ(checked.cublas.cublasCreate_v2(&handle), CUBLAS_STATUS_SUCCESS);
    ASSERT_EQ(checked.cublas.cublasSetStream_v2(handle, gpu.stream), CUBLAS_STATUS_SUCCESS);
    const float* a = gpu.put(random_numbers(16, 1));
    const float* b = gpu.put(random_numbers(16, 2));
    auto* c = gpu.allocate<float>(16);
    const float one = 1, zero = 0;
    ASSERT_EQ(
        checked.cublas.cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, a, CUDA_R_32F, 4, b, CUDA_R_32F, 4,
                                    &zero, c, CUDA_R_32F, 4, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
        CUBLAS_STATUS_SUCCESS);
    CUstream copies = nullptr;
    CUevent multiplied = nullptr;
    EmulatedGpu::check(gpu.driver.cuStreamCreate(&copies, CU_STREAM_NON_BLOCKING));
    EmulatedGpu::check(gpu.driver.cuEventCreate(&multiplied, CU_EVENT_DISABLE_TIMING));
    EmulatedGpu::check(gpu.driver.cuEventRecord(multiplied, gpu.stream));
    if (waits) EmulatedGpu::check(gpu.driver.cuStreamWaitEvent(copies, multiplied, 0));
    EmulatedGpu::check(gpu.driver.cuMemsetD8Async(EmulatedGpu::address(c), 0, 64, copies));
    EXPECT_EQ(gpu.driver.cuCtxSynchronize(), waits ? CUDA_SUCCESS : CUDA_ERROR_LAUNCH_FAILED);
    checked.cublas.cublasDestroy_v2(handle);
  }
}

TEST(EmulatedProduct, RoundsToTf32) {
  float a = 1 + 0x1p-11f, b = 1 + 0x1p-12f, c = 0;
  const auto product = [&](bool tf32) {
    emulated::multiply(
        {1, 1, 1, 1, 0, {&a, CUDA_R_32F, 1, false}, {&b, CUDA_R_32F, 1, false}, {&c, CUDA_R_32F, 1, false}, tf32});
    return c;
  };
  EXPECT_EQ(product(false), a * b);
  EXPECT_EQ(product(true), 1 + 0x1p-10f);
}

TEST(EmulatedNumbers, RoundToNearestWithTiesToEven) {
  EXPECT_EQ(float_to_bfloat16(1 + 0x1p-8f), 0x3f80);
  EXPECT_EQ(float_to_bfloat16(1 + 3 * 0x1p-8f), 0x3f82);
  EXPECT_EQ(float_to_bfloat16(1 + 0x1.1p-8f), 0x3f81);
  EXPECT_TRUE(std::isnan(bfloat16_to_float(float_to_bfloat16(std::nanf("")))));
  EXPECT_EQ(float_to_half(65504.0f), 0x7bff);
  EXPECT_EQ(float_to_half(1e6f), 0x7c00);
  EXPECT_EQ(half_to_float(0x0001), 0x1p-24f);
}

TEST(EmulatedNumbers, HalvesAreThoseOfTheCompiler) {
  for (uint32_t bits = 0; bits < 1 << 16; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    const auto expected = static_cast<float>(std::bit_cast<_Float16>(half));
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(half_to_float(half))) << bits;
      continue;
    }
    ASSERT_EQ(half_to_float(half), expected) << bits;
    // The number, what lies half way to the next one, and its neighbours.
    const auto next = static_cast<float>(std::bit_cast<_Float16>(static_cast<uint16_t>(half + 1)));
    for (const float value : {expected, (expected + next) / 2, std::nextafter((expected + next) / 2, 0.0f),
                              std::nextafter((expected + next) / 2, 1e9f)}) {
      if (std::isnan(value)) continue;
      ASSERT_EQ(float_to_half(value), std::bit_cast<uint16_t>(static_cast<_Float16>(value))) << value;
    }
  }
}

}  // namespace
}  // namespace verbund::cuda
