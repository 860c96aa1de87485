// SPDX-License-Identifier: Apache-2.0
// ProtoMessage and ProtoReader write and read protocol buffers, as far as SentencePiece's models and TensorBoard's
// events need it: a sequence of fields, each with its number and a varint, 4 or 8 bytes, or a length and that many
// bytes. The caller knows the meaning of the fields.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace verbund {

// A message under construction, with its fields in the order of the calls.
class ProtoMessage {
 public:
  ProtoMessage& add_integer(uint32_t field, int64_t value);
  ProtoMessage& add_float(uint32_t field, float value);
  ProtoMessage& add_double(uint32_t field, double value);
  ProtoMessage& add_bytes(uint32_t field, std::string_view bytes);
  ProtoMessage& add(uint32_t field, const ProtoMessage& message) { return add_bytes(field, message.bytes()); }

  const std::string& bytes() const { return bytes_; }

 private:
  void add_varint(uint64_t value);
  void add_key(uint32_t field, uint32_t wire_type);

  std::string bytes_;
};

// A field that was read. Asking for a value of another type yields 0 or nothing, as for a missing field.
class ProtoField {
 public:
  uint32_t number = 0;

  int64_t integer() const { return type_ == Type::kVarint ? static_cast<int64_t>(raw_) : 0; }
  float float_value() const;
  double double_value() const;
  std::string_view bytes() const { return bytes_; }

 private:
  friend class ProtoReader;
  enum class Type { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

  Type type_ = Type::kVarint;
  uint64_t raw_ = 0;
  std::string_view bytes_;
};

// Iterates over the fields of a message, without copying. Malformed bytes end the iteration; see `damaged`.
class ProtoReader {
 public:
  explicit ProtoReader(std::string_view message) : rest_(message) {}

  std::optional<ProtoField> next();
  bool damaged() const { return damaged_; }

 private:
  std::optional<uint64_t> take_varint();
  std::optional<std::string_view> take(uint64_t size);
  std::optional<ProtoField> take_field();

  std::string_view rest_;
  bool damaged_ = false;
};

// A number of a packed field.
template <typename Number>
Number number_at(std::string_view bytes, size_t index);

}  // namespace verbund
