// SPDX-License-Identifier: Apache-2.0
// WireReader and WireWriter: the part of the protocol buffer format that SentencePiece's model files use. A message is
// a sequence of fields, each a tag (number << 3 | wire type), then a varint (0), 8 bytes (1), length + bytes (2) or 4
// bytes (5).
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace verbund {

class WireReader {
 public:
  explicit WireReader(std::string_view message) : rest_(message) {}

  bool next() {
    if (rest_.empty()) return false;
    const uint64_t tag = varint();
    number = tag >> 3;
    value = 0;
    bytes = {};
    if (number == 0 || tag > UINT32_MAX) broken_ = true;
    switch (tag & 7) {
      case 0:
        value = varint();
        break;
      case 1:
        take(8);
        break;
      case 2:
        bytes = take(varint());
        break;
      case 5:
        bytes = take(4);
        break;
      default:
        rest_ = {};
        broken_ = true;
        return false;
    }
    return true;
  }

  // What has been read is not wholly a message, or could be read as another one.
  bool is_broken() const { return broken_; }

  // The value of a field of 4 bytes.
  float real() const {
    uint32_t bits = 0;
    for (size_t i = bytes.size(); i-- > 0;) bits = bits << 8 | static_cast<unsigned char>(bytes[i]);
    return std::bit_cast<float>(bits);
  }

  uint64_t number = 0;
  uint64_t value = 0;
  std::string_view bytes;

 private:
  uint64_t varint() {
    uint64_t result = 0;
    for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      result |= uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return result;
    }
    broken_ = true;
    return result;
  }

  std::string_view take(uint64_t count) {
    if (count > rest_.size()) broken_ = true;
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(taken.size());
    return taken;
  }

  std::string_view rest_;
  bool broken_ = false;
};

class WireWriter {
 public:
  void add(uint64_t number, uint64_t value) {
    varint(number << 3 | 0);
    varint(value);
  }

  void add(uint64_t number, float value) {
    varint(number << 3 | 5);
    const auto bits = std::bit_cast<uint32_t>(value);
    for (int shift = 0; shift < 32; shift += 8) message_.push_back(static_cast<char>(bits >> shift));
  }

  void add(uint64_t number, std::string_view bytes) {
    varint(number << 3 | 2);
    varint(bytes.size());
    message_.append(bytes);
  }

  const std::string& message() const { return message_; }

 private:
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) message_.push_back(static_cast<char>(value | 0x80));
    message_.push_back(static_cast<char>(value));
  }

  std::string message_;
};

}  // namespace verbund
