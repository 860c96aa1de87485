// SPDX-License-Identifier: Apache-2.0
// TypedFloats is an array of floating-point numbers whose dtype is known when the program runs: what only GEMMs read is
// kept in 16 bits by devices that multiply such numbers faster.
#pragma once

#include <cstdint>

namespace verbund {

enum class FloatType : uint8_t { kFp32, kBf16, kFp16 };

inline constexpr int64_t size_of(FloatType type) { return type == FloatType::kFp32 ? 4 : 2; }

// The address of such an array, which may be in a device's memory. `+` counts elements.
struct TypedFloats {
  void* data = nullptr;
  FloatType type = FloatType::kFp32;

  TypedFloats() = default;
  TypedFloats(void* at, FloatType of) : data(at), type(of) {}
  TypedFloats(float* floats) : data(floats) {}  // NOLINT: meant to be implicit

  explicit operator bool() const { return data != nullptr; }
  TypedFloats operator+(int64_t elements) const { return {static_cast<char*>(data) + elements * size_of(type), type}; }
  float* f32() const { return static_cast<float*>(data); }  // where the type is known to be that
};

struct ConstTypedFloats {
  const void* data = nullptr;
  FloatType type = FloatType::kFp32;

  ConstTypedFloats() = default;
  ConstTypedFloats(const void* at, FloatType of) : data(at), type(of) {}
  ConstTypedFloats(const float* floats) : data(floats) {}                         // NOLINT: meant to be implicit
  ConstTypedFloats(TypedFloats floats) : data(floats.data), type(floats.type) {}  // NOLINT: meant to be implicit

  explicit operator bool() const { return data != nullptr; }
  ConstTypedFloats operator+(int64_t elements) const {
    return {static_cast<const char*>(data) + elements * size_of(type), type};
  }
  const float* f32() const { return static_cast<const float*>(data); }
};

}  // namespace verbund
