// SPDX-License-Identifier: Apache-2.0
#include "core/protobuf.h"

#include <bit>
#include <cstring>

namespace verbund {
namespace {

static_assert(std::endian::native == std::endian::little, "messages hold numbers in little-endian order");

constexpr uint32_t kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5;

template <typename Number>
std::string_view bytes_of(const Number& number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}

}  // namespace

void ProtoMessage::add_varint(uint64_t value) {
  for (; value >= 128; value >>= 7) bytes_ += static_cast<char>(value | 128);
  bytes_ += static_cast<char>(value);
}

void ProtoMessage::add_key(uint32_t field, uint32_t wire_type) { add_varint(uint64_t{field} << 3 | wire_type); }

ProtoMessage& ProtoMessage::add_integer(uint32_t field, int64_t value) {
  add_key(field, kVarint);
  add_varint(static_cast<uint64_t>(value));
  return *this;
}

ProtoMessage& ProtoMessage::add_float(uint32_t field, float value) {
  add_key(field, kFixed32);
  bytes_ += bytes_of(value);
  return *this;
}

ProtoMessage& ProtoMessage::add_double(uint32_t field, double value) {
  add_key(field, kFixed64);
  bytes_ += bytes_of(value);
  return *this;
}

ProtoMessage& ProtoMessage::add_bytes(uint32_t field, std::string_view bytes) {
  add_key(field, kBytes);
  add_varint(bytes.size());
  bytes_ += bytes;
  return *this;
}

float ProtoField::float_value() const {
  return type_ == Type::kFixed32 ? std::bit_cast<float>(static_cast<uint32_t>(raw_)) : 0;
}

double ProtoField::double_value() const { return type_ == Type::kFixed64 ? std::bit_cast<double>(raw_) : 0; }

std::optional<uint64_t> ProtoReader::take_varint() {
  uint64_t value = 0;
  for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
    const auto byte = static_cast<uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    value |= uint64_t{byte & 127u} << shift;
    if (byte < 128) return value;
  }
  return std::nullopt;
}

std::optional<std::string_view> ProtoReader::take(uint64_t size) {
  if (size > rest_.size()) return std::nullopt;
  const std::string_view taken = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return taken;
}

std::optional<ProtoField> ProtoReader::take_field() {
  const std::optional<uint64_t> key = take_varint();
  if (!key || *key >> 3 == 0 || *key > UINT32_MAX) return std::nullopt;
  ProtoField field;
  field.number = static_cast<uint32_t>(*key >> 3);
  const uint32_t wire_type = *key & 7;
  if (wire_type == kVarint) {
    const auto value = take_varint();
    if (!value) return std::nullopt;
    field.raw_ = *value;
  } else if (wire_type == kBytes) {
    const auto size = take_varint();
    const auto bytes = size ? take(*size) : std::nullopt;
    if (!bytes) return std::nullopt;
    field.bytes_ = *bytes;
  } else if (wire_type == kFixed32 || wire_type == kFixed64) {
    const auto bytes = take(wire_type == kFixed32 ? 4 : 8);
    if (!bytes) return std::nullopt;
    std::memcpy(&field.raw_, bytes->data(), bytes->size());
  } else {
    return std::nullopt;  // groups, which are obsolete
  }
  field.type_ = static_cast<ProtoField::Type>(wire_type);
  return field;
}

std::optional<ProtoField> ProtoReader::next() {
  if (rest_.empty()) return std::nullopt;
  const std::optional<ProtoField> field = take_field();
  if (!field) {
    damaged_ = true;
    rest_ = {};
  }
  return field;
}

template <typename Number>
Number number_at(std::string_view bytes, size_t index) {
  Number number = 0;
  const size_t begin = index * sizeof number;
  if (begin + sizeof number <= bytes.size()) std::memcpy(&number, bytes.data() + begin, sizeof number);
  return number;
}

template float number_at<float>(std::string_view, size_t);
template double number_at<double>(std::string_view, size_t);

}  // namespace verbund
