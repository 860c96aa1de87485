// A named tensor as bytes, owned by someone else: what checkpoints are written from and
// read as. Element types are those of the safetensors format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/error.h"

namespace verbund {

enum class Dtype { kBool, kU8, kI8, kF8E5M2, kF8E4M3, kI16, kU16, kF16, kBF16, kI32, kU32, kF32, kF64, kI64, kU64 };

std::string_view dtype_name(Dtype dtype);  // as in the file: "F32"
uint64_t dtype_size(Dtype dtype);          // bytes of an element
std::optional<Dtype> find_dtype(std::string_view name);

struct TensorView {
  std::string name;
  std::vector<int64_t> shape;  // empty: a single number
  Dtype dtype = Dtype::kF32;
  std::span<const std::byte> bytes;
};

// The bytes that a tensor takes; nothing if a dimension is negative or the product does not
// fit into 64 bits.
std::optional<uint64_t> tensor_size(std::span<const int64_t> shape, Dtype dtype);

std::string show_shape(std::span<const int64_t> shape);  // "[32768, 512]"

template <typename T>
constexpr Dtype dtype_of() {
  if constexpr (std::is_same_v<T, float>) return Dtype::kF32;
  if constexpr (std::is_same_v<T, double>) return Dtype::kF64;
  if constexpr (std::is_same_v<T, int64_t>) return Dtype::kI64;
  if constexpr (std::is_same_v<T, int32_t>) return Dtype::kI32;
  if constexpr (std::is_same_v<T, uint8_t>) return Dtype::kU8;
}

template <typename T>
TensorView view_tensor(std::string name, std::vector<int64_t> shape, std::span<const T> values) {
  return {std::move(name), std::move(shape), dtype_of<T>(), std::as_bytes(values)};
}

// Copies the elements out; refuses another type or count. (A mapped tensor need not be
// aligned for its type, so it is copied rather than pointed at.)
template <typename T>
void copy_tensor(const TensorView& from, std::span<T> to) {
  if (from.dtype != dtype_of<T>() || from.bytes.size() != to.size_bytes()) {
    fail("the tensor {} is {} {}, but {} elements of {} are expected", from.name, dtype_name(from.dtype),
         show_shape(from.shape), to.size(), dtype_name(dtype_of<T>()));
  }
  if (!to.empty()) std::memcpy(to.data(), from.bytes.data(), to.size_bytes());
}

}  // namespace verbund
