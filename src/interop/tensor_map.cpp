// SPDX-License-Identifier: Apache-2.0
#include "interop/tensor_map.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace verbund {
namespace {

float half_to_float(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  float value = 0;
  if (exponent == 31) {
    value = fraction == 0 ? INFINITY : NAN;
  } else if (exponent == 0) {
    value = std::ldexp(static_cast<float>(fraction), -24);
  } else {
    value = std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -value : value;
}

template <typename Stored, typename Convert>
std::vector<float> convert(std::span<const std::byte> bytes, Convert to_float) {
  std::vector<float> values(bytes.size() / sizeof(Stored));
  for (size_t i = 0; i < values.size(); ++i) {
    Stored stored;
    std::memcpy(&stored, bytes.data() + i * sizeof(Stored), sizeof(Stored));
    values[i] = to_float(stored);
  }
  return values;
}

}  // namespace

ForeignTensor to_floats(const TensorView& tensor) {
  const std::optional<uint64_t> size = tensor_size(tensor.shape, tensor.dtype);
  if (!size || *size != tensor.bytes.size()) {
    fail("the tensor {} is {} {}, but has {} bytes", tensor.name, dtype_name(tensor.dtype), show_shape(tensor.shape),
         tensor.bytes.size());
  }
  switch (tensor.dtype) {
    case Dtype::kF32:
      return {tensor.shape, convert<float>(tensor.bytes, [](float x) { return x; }), tensor.dtype};
    case Dtype::kF64:
      return {tensor.shape, convert<double>(tensor.bytes, [](double x) { return static_cast<float>(x); }),
              tensor.dtype};
    case Dtype::kF16:
      return {tensor.shape, convert<uint16_t>(tensor.bytes, half_to_float), tensor.dtype};
    case Dtype::kBF16:
      return {tensor.shape,
              convert<uint16_t>(tensor.bytes,
                                [](uint16_t x) { return std::bit_cast<float>(static_cast<uint32_t>(x) << 16); }),
              tensor.dtype};
    default:
      fail("the tensor {} has elements of type {}: only floating-point weights can be imported", tensor.name,
           dtype_name(tensor.dtype));
  }
}

void TensorMap::add(const std::string& name, ForeignTensor tensor) {
  if (!tensors_.emplace(name, std::move(tensor)).second) fail("{} has the tensor {} twice", file_.string(), name);
}

const ForeignTensor& TensorMap::at(const std::string& name) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) {
    fail("{} has no tensor {}, which a model with this configuration has", file_.string(), name);
  }
  return found->second;
}

ForeignTensor TensorMap::take(const std::string& name) {
  at(name);
  return std::move(tensors_.extract(name).mapped());
}

std::vector<float> TensorMap::take(const std::string& name, const std::vector<int64_t>& shape) {
  const ForeignTensor& tensor = at(name);
  // Marian writes vectors as [1, n].
  const bool is_row = shape.size() == 1 && tensor.shape == std::vector<int64_t>{1, shape[0]};
  if (tensor.shape != shape && !is_row) {
    fail("{}: {} is {}, but with this configuration it should be {}", file_.string(), name, show_shape(tensor.shape),
         show_shape(shape));
  }
  return take(name).values;
}

std::vector<float> TensorMap::take_transposed(const std::string& name, int64_t rows, int64_t columns) {
  const std::vector<float> from = take(name, {rows, columns});
  std::vector<float> to(from.size());
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      to[static_cast<size_t>(j * rows + i)] = from[static_cast<size_t>(i * columns + j)];
    }
  }
  return to;
}

void TensorMap::drop_copy(const std::string& name, const std::vector<float>& same) {
  if (!has(name)) return;
  const ForeignTensor copy = take(name);
  if (copy.values.size() == same.size() && std::memcmp(copy.values.data(), same.data(), same.size() * 4) == 0) return;
  fail("{}: {} should be the same as the tensor that it is tied to, but differs from it", file_.string(), name);
}

void TensorMap::expect_empty() const {
  if (tensors_.empty()) return;
  const auto& [name, tensor] = *tensors_.begin();
  fail("{} has {} tensors that the configuration does not account for; the first is {} {}", file_.string(),
       tensors_.size(), name, show_shape(tensor.shape));
}

TensorMap read_safetensors_tensors(const fs::path& path) {
  const SafetensorsFile file(path);
  TensorMap tensors(path);
  for (const TensorView& tensor : file.tensors()) tensors.add(tensor.name, to_floats(tensor));
  return tensors;
}

}  // namespace verbund
