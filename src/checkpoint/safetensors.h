// SPDX-License-Identifier: Apache-2.0
// SafetensorsFile reads named tensors in the safetensors format, and write_safetensors writes them; Python's
// safetensors package reads and writes it too. A file has 8 bytes with the length of the header, the header in JSON,
// and the tensors' bytes without gaps. docs/checkpoints.md describes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/checksummed_file.h"
#include "core/error.h"
#include "core/file.h"

namespace verbund {

enum class Dtype { kBool, kU8, kI8, kF8E5M2, kF8E4M3, kI16, kU16, kF16, kBF16, kI32, kU32, kF32, kF64, kI64, kU64 };

std::string_view dtype_name(Dtype dtype);  // as in the file: "F32"
uint64_t dtype_size(Dtype dtype);          // bytes of an element
std::optional<Dtype> find_dtype(std::string_view name);

// A named tensor as bytes that someone else owns.
struct TensorView {
  std::string name;
  std::vector<int64_t> shape;  // empty: a single number
  Dtype dtype = Dtype::kF32;
  std::span<const std::byte> bytes;
};

// The size of a tensor in bytes; nothing if a dimension is negative or the product does not fit into 64 bits.
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

// Copies the elements; refuses another type or count. (A mapped tensor need not be aligned for its type, so its
// elements are not accessed in place.)
template <typename T>
void copy_tensor(const TensorView& from, std::span<T> to) {
  if (from.dtype != dtype_of<T>() || from.bytes.size() != to.size_bytes()) {
    fail("the tensor {} is {} {}, but {} elements of {} are expected", from.name, dtype_name(from.dtype),
         show_shape(from.shape), to.size(), dtype_name(dtype_of<T>()));
  }
  if (!to.empty()) std::memcpy(to.data(), from.bytes.data(), to.size_bytes());
}

inline std::vector<float> read_floats(const TensorView& from, size_t size) {
  std::vector<float> values(size);
  copy_tensor(from, std::span<float>(values));
  return values;
}

using SafetensorsMetadata = std::map<std::string, std::string>;

// Writes the tensors in the given order; the first starts at a multiple of 64 bytes. The file is complete or absent.
FileSummary write_safetensors(const fs::path& path, std::span<const TensorView> tensors,
                              const SafetensorsMetadata& metadata = {});

// Maps a file into memory. The header is checked against the file, so every tensor has the right place and size; an
// error names the damage.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(const fs::path& path);

  // The tensors in the order of their bytes; valid as long as this object.
  const std::vector<TensorView>& tensors() const { return tensors_; }
  const TensorView* find(const std::string& name) const;  // nullptr if there is none
  const TensorView& at(const std::string& name) const;    // an error if there is none
  const SafetensorsMetadata& metadata() const { return metadata_; }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
  MappedFile file_;
  std::vector<TensorView> tensors_;
  std::unordered_map<std::string, size_t> index_;  // by name
  SafetensorsMetadata metadata_;
};

// The parts of the format that both sides share.
inline constexpr const char* kSafetensorsMetadataKey = "__metadata__";
inline constexpr uint64_t kSafetensorsLargestHeader = 100'000'000;  // the limit of other readers

}  // namespace verbund
