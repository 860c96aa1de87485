// SPDX-License-Identifier: Apache-2.0
// The emulated cublasGemmEx: refuses what cuBLAS refuses or leaves undefined, with a message, and computes the rest on
// the CPU when the stream reaches it.
#include <algorithm>

#include "emulated/counters.h"
#include "emulated/cublas_handle.h"
#include "emulated/gemm.h"
#include "emulated/settings.h"

namespace emulated {
namespace {

using namespace verbund::cuda;

const char* name_of(cudaDataType type) {
  switch (type) {
    case CUDA_R_16F:
      return "16F";
    case CUDA_R_16BF:
      return "16BF";
    case CUDA_R_32F:
      return "32F";
    default:
      return "another type";
  }
}

// The table of cublasGemmEx, as far as sums in float go.
bool is_supported(cudaDataType a, cudaDataType b, cudaDataType c, cublasComputeType_t compute) {
  if (a != b) return false;
  if (compute == CUBLAS_COMPUTE_32F_FAST_TF32) return a == CUDA_R_32F && c == CUDA_R_32F;
  if (compute != CUBLAS_COMPUTE_32F && compute != CUBLAS_COMPUTE_32F_PEDANTIC) return false;
  if (a == CUDA_R_32F) return c == CUDA_R_32F;
  return (a == CUDA_R_16F || a == CUDA_R_16BF) && (c == a || c == CUDA_R_32F);
}

// One operand as it lies in memory: `rows` of each of `columns`.
struct Operand {
  char name;
  const void* data;
  cudaDataType type;
  int rows, columns, leading;

  size_t bytes() const { return static_cast<size_t>(rows) * static_cast<size_t>(columns) * size_of(type); }
  size_t reach() const {  // bytes from the first element to the last
    if (rows == 0 || columns == 0) return 0;
    return (static_cast<size_t>(columns - 1) * static_cast<size_t>(leading) + static_cast<size_t>(rows)) *
           size_of(type);
  }
  bool overlaps(const Operand& other) const {
    const auto begin = reinterpret_cast<uintptr_t>(data), other_begin = reinterpret_cast<uintptr_t>(other.data);
    return begin < other_begin + other.reach() && other_begin < begin + reach();
  }
};

cublasStatus_t check(const Operand& operand) {
  if (operand.leading < std::max(1, operand.rows)) {
    return refuse(CUBLAS_STATUS_INVALID_VALUE,
                  "cublasGemmEx: the leading dimension of {} is {}, but it has {} rows in memory (column by column)",
                  operand.name, operand.leading, operand.rows);
  }
  if (operand.bytes() == 0) return CUBLAS_STATUS_SUCCESS;
  if (operand.data == nullptr) return refuse(CUBLAS_STATUS_INVALID_VALUE, "cublasGemmEx: {} is null", operand.name);
  if (reinterpret_cast<uintptr_t>(operand.data) % size_of(operand.type) != 0) {
    return refuse(CUBLAS_STATUS_INVALID_VALUE, "cublasGemmEx: {} at {} is not aligned for {}", operand.name,
                  operand.data, name_of(operand.type));
  }
  return CUBLAS_STATUS_SUCCESS;
}

// Column by column where there are gaps: what lies in them may be others'. Few calls have any.
void add_ranges(std::vector<Range>& ranges, const Operand& operand, bool written) {
  const auto* begin = static_cast<const std::byte*>(operand.data);
  if (operand.bytes() == 0) return;
  if (operand.bytes() == operand.reach()) {
    ranges.push_back({begin, operand.reach(), written});
    return;
  }
  for (int column = 0; column < operand.columns; ++column) {
    const size_t skipped = static_cast<size_t>(column) * static_cast<size_t>(operand.leading);
    ranges.push_back(
        {begin + skipped * size_of(operand.type), static_cast<size_t>(operand.rows) * size_of(operand.type), written});
  }
}

}  // namespace
}  // namespace emulated

namespace verbund::cuda {

using namespace emulated;

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t operation_a, cublasOperation_t operation_b, int m,
                            int n, int k, const void* alpha, const void* a, cudaDataType type_a, int lda, const void* b,
                            cudaDataType type_b, int ldb, const void* beta, void* c, cudaDataType type_c, int ldc,
                            cublasComputeType_t compute, cublasGemmAlgo_t algorithm) {
  if (const auto status = check_handle(handle, "cublasGemmEx"); status != CUBLAS_STATUS_SUCCESS) return status;
  if (handle->stream != nullptr && context_of(handle->stream) != handle->context) {
    return refuse(CUBLAS_STATUS_INVALID_VALUE, "cublasGemmEx: the handle's stream is gone");
  }
  if (m < 0 || n < 0 || k < 0) {
    return refuse(CUBLAS_STATUS_INVALID_VALUE, "cublasGemmEx: sizes are m = {}, n = {}, k = {}", m, n, k);
  }
  for (const cublasOperation_t operation : {operation_a, operation_b}) {
    if (operation < CUBLAS_OP_N || operation > CUBLAS_OP_C) {
      return refuse(CUBLAS_STATUS_INVALID_VALUE, "cublasGemmEx: there is no operation {}", static_cast<int>(operation));
    }
  }
  if (!is_supported(type_a, type_b, type_c, compute)) {
    return refuse(CUBLAS_STATUS_NOT_SUPPORTED, "cublasGemmEx: A of {}, B of {}, C of {} with compute type {}",
                  name_of(type_a), name_of(type_b), name_of(type_c), static_cast<int>(compute));
  }
  if (algorithm != CUBLAS_GEMM_DEFAULT && algorithm != CUBLAS_GEMM_DEFAULT_TENSOR_OP) {
    return refuse(CUBLAS_STATUS_NOT_SUPPORTED, "cublasGemmEx: algorithm {}", static_cast<int>(algorithm));
  }
  const bool transposed_a = operation_a != CUBLAS_OP_N, transposed_b = operation_b != CUBLAS_OP_N;
  const Operand factor_a{'A', a, type_a, transposed_a ? k : m, transposed_a ? m : k, lda};
  const Operand factor_b{'B', b, type_b, transposed_b ? n : k, transposed_b ? k : n, ldb};
  const Operand result{'C', c, type_c, m, n, ldc};
  for (const Operand* operand : {&factor_a, &factor_b, &result}) {
    if (const auto status = check(*operand); status != CUBLAS_STATUS_SUCCESS) return status;
  }
  for (const void* scale : {alpha, beta}) {
    if (scale == nullptr || in_device_memory(handle->context, scale, sizeof(float))) {
      return refuse(CUBLAS_STATUS_INVALID_VALUE, "cublasGemmEx: alpha and beta must be host memory, but one is {}",
                    scale);
    }
  }
  for (const Operand* factor : {&factor_a, &factor_b}) {
    if (result.overlaps(*factor)) {
      return refuse(CUBLAS_STATUS_INVALID_VALUE, "cublasGemmEx: C overlaps {}, and its result is undefined",
                    factor->name);
    }
  }
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;

  // Before Ampere there is no tf32, and the product is in float.
  const bool tf32 = settings().architecture >= 80 &&
                    (compute == CUBLAS_COMPUTE_32F_FAST_TF32 ||
                     ((handle->math & 0xf) == CUBLAS_TF32_TENSOR_OP_MATH && compute == CUBLAS_COMPUTE_32F));
  const Product product{m,
                        n,
                        k,
                        *static_cast<const float*>(alpha),
                        *static_cast<const float*>(beta),
                        {const_cast<void*>(a), type_a, lda, transposed_a},
                        {const_cast<void*>(b), type_b, ldb, transposed_b},
                        {c, type_c, ldc, false},
                        tf32};
  const std::string name = fmt::format("cublasGemmEx {}->{}", tf32 ? "TF32" : name_of(type_a), name_of(type_c));
  Counts counts;
  counts.launches = 1;
  counts.operations = 2 * static_cast<uint64_t>(m) * static_cast<uint64_t>(n) * static_cast<uint64_t>(k);
  counts.bytes_read = factor_a.bytes() + factor_b.bytes() + (product.beta == 0 ? 0 : result.bytes());
  counts.bytes_written = result.bytes();
  counts.distinct_read = counts.bytes_read;
  counts.distinct_written = counts.bytes_written;
  Work work{.name = name, .counts_itself = true};
  work.run = [product, name, counts] {
    multiply(product);
    count(name, counts);
  };
  add_ranges(work.ranges, factor_a, false);
  add_ranges(work.ranges, factor_b, false);
  if (product.beta != 0) add_ranges(work.ranges, result, false);
  add_ranges(work.ranges, result, true);
  // Its beginning stands for all of it, as products that share a workspace share that: checking 32 MB took most of the
  // time of small products.
  if (handle->workspace_bytes > 0) {
    work.ranges.push_back({handle->workspace, std::min<size_t>(handle->workspace_bytes, 256), true});
  }
  return enqueue(handle->stream, std::move(work)) == CUDA_SUCCESS ? CUBLAS_STATUS_SUCCESS
                                                                  : CUBLAS_STATUS_EXECUTION_FAILED;
}

}  // namespace verbund::cuda
