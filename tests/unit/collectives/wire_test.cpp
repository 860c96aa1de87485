// SPDX-License-Identifier: Apache-2.0
#include "collectives/wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "core/random.h"

namespace verbund {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<float> round_trip(Wire wire, const std::vector<float>& values) {
  std::vector<std::byte> message(wire_size(wire, values.size()));
  encode(wire, values, message.data());
  std::vector<float> result(values.size());
  decode(wire, message.data(), result);
  return result;
}

// Every bit pattern there is, of ordinary, tiny and huge numbers.
std::vector<float> all_magnitudes() {
  std::vector<float> values;
  for (uint64_t i = 0; i < 200000; ++i) {
    const uint32_t bits = philox(1, 2, i)[0];
    float value;
    std::memcpy(&value, &bits, sizeof value);
    if (std::isfinite(value)) values.push_back(value);
  }
  return values;
}

TEST(Wire, Fp32IsExact) { EXPECT_EQ(round_trip(Wire::kFp32, all_magnitudes()), all_magnitudes()); }

TEST(Wire, Bf16RoundsToTheNearestEven) {
  for (const float value : all_magnitudes()) {
    const float rounded = round_trip(Wire::kBf16, {value})[0];
    if (std::isinf(rounded)) {
      EXPECT_GT(std::abs(value), 3.38e38f);
      continue;
    }
    int exponent;
    std::frexp(value, &exponent);
    const double step = std::ldexp(1.0, std::max(exponent, -125) - 8);
    const double error = std::abs(static_cast<double>(rounded) - value);
    EXPECT_LE(error, step / 2) << value;
    if (error == step / 2) {
      uint32_t bits;
      std::memcpy(&bits, &rounded, sizeof bits);
      EXPECT_EQ((bits >> 16) % 2, 0u) << value;
    }
  }
}

// The compiler's own 16-bit type knows how to round.
TEST(Wire, Fp16RoundsAsTheCompilerDoes) {
  for (uint32_t high = 0; high < 65536; ++high) {
    const uint32_t bits = high << 16 | (philox(3, 4, high)[0] & 0xffff);
    float value;
    std::memcpy(&value, &bits, sizeof value);
    if (!(std::abs(value) < 1.99f)) continue;
    // 1.999 brings the message's scale to 2^14, whatever else is in it.
    const float rounded = round_trip(Wire::kFp16, {1.999f, value})[1];
    EXPECT_EQ(rounded, static_cast<float>(static_cast<_Float16>(value * 0x1p14f)) * 0x1p-14f) << value;
  }
}

TEST(Wire, Fp16NeitherOverflowsNorVanishes) {
  for (const float size : {1e-30f, 1e-8f, 1.0f, 70000.0f, 1e30f, 3e38f}) {
    const std::vector<float> values = {size, size / 3, -size / 1000};
    const std::vector<float> rounded = round_trip(Wire::kFp16, values);
    for (size_t i = 0; i < values.size(); ++i) {
      EXPECT_NEAR(rounded[i] / values[i], 1, 1e-3) << size;
    }
  }
}

TEST(Wire, WhatIsNotFiniteStaysSo) {
  for (const Wire wire : {Wire::kBf16, Wire::kFp16}) {
    const std::vector<float> rounded = round_trip(wire, {1, kInfinity, -kInfinity, std::nanf("")});
    EXPECT_EQ(rounded[0], 1);
    EXPECT_EQ(rounded[1], kInfinity);
    EXPECT_EQ(rounded[2], -kInfinity);
    EXPECT_TRUE(std::isnan(rounded[3]));
  }
}

// Blocks of all magnitudes, the last one not full.
TEST(Wire, Int8IsNearToHalfAStepOfItsBlock) {
  std::vector<float> values;
  for (uint64_t i = 0; i < 20 * kWireBlock + 33; ++i) {
    const double unit = philox(5, 6, i)[0] / 4294967296.0 - 0.5;
    values.push_back(static_cast<float>(unit * std::pow(10.0, static_cast<double>(i / kWireBlock) * 3 - 30)));
  }
  const std::vector<float> rounded = round_trip(Wire::kInt8, values);
  for (size_t begin = 0; begin < values.size(); begin += kWireBlock) {
    const size_t end = std::min(begin + kWireBlock, values.size());
    float largest = 0;
    for (size_t i = begin; i < end; ++i) largest = std::max(largest, std::abs(values[i]));
    for (size_t i = begin; i < end; ++i) {
      EXPECT_LE(std::abs(rounded[i] - values[i]), largest / 127 * 0.50001f) << i;
    }
  }
}

TEST(Wire, Int8RoundsTiesToEvenAndKeepsTheLargest) {
  EXPECT_THAT(round_trip(Wire::kInt8, {127, -127, 0.5f, 1.5f, 2.5f, -0.5f, -1.5f, -2.5f, 0}),
              ElementsAre(127, -127, 0, 2, 2, 0, -2, -2, 0));
}

TEST(Wire, Int8OfNothingIsNothing) {
  const float tiny = std::numeric_limits<float>::denorm_min();
  EXPECT_THAT(round_trip(Wire::kInt8, {0, -0.0f, 0}), Each(0));
  EXPECT_THAT(round_trip(Wire::kInt8, {tiny, -100 * tiny, 1e-40f}), Each(0));
  EXPECT_THAT(round_trip(Wire::kInt8, {}), IsEmpty());
}

TEST(Wire, Int8TakesAByteAValueAndAScaleABlock) {
  EXPECT_EQ(wire_size(Wire::kInt8, 0), 0u);
  EXPECT_EQ(wire_size(Wire::kInt8, 1), 5u);
  EXPECT_EQ(wire_size(Wire::kInt8, kWireBlock), kWireBlock + 4);
  EXPECT_EQ(wire_size(Wire::kInt8, 2 * kWireBlock + 1), 2 * kWireBlock + 1 + 12);
  for (const Wire wire : {Wire::kFp32, Wire::kBf16, Wire::kInt8}) {
    EXPECT_EQ(static_cast<double>(wire_size(wire, 4 * kWireBlock)), 4 * kWireBlock * wire_bytes(wire));
  }
}

TEST(Wire, ABlockOfInt8WithWhatIsNotFiniteIsNan) {
  for (const float bad : {kInfinity, -kInfinity, std::nanf("")}) {
    std::vector<float> values(3 * kWireBlock, 1.0f);
    values[kWireBlock + 7] = bad;
    const std::vector<float> rounded = round_trip(Wire::kInt8, values);
    for (size_t i = 0; i < values.size(); ++i) EXPECT_EQ(std::isnan(rounded[i]), i / kWireBlock == 1) << i;
  }
}

}  // namespace
}  // namespace verbund
