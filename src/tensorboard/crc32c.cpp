#include "tensorboard/crc32c.h"

#include <array>

namespace verbund {
namespace {

constexpr uint32_t kPolynomial = 0x82f63b78;  // its bits reversed, as the bytes are taken lowest bit first

// tables[k][b]: what the byte b does to the checksum when k more bytes come after it. With eight of them, eight
// bytes are taken at once instead of one.
using Tables = std::array<std::array<uint32_t, 256>, 8>;

constexpr Tables make_tables() {
  Tables tables = {};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t sum = byte;
    for (int bit = 0; bit < 8; ++bit) sum = sum & 1 ? sum >> 1 ^ kPolynomial : sum >> 1;
    tables[0][byte] = sum;
  }
  for (size_t k = 1; k < tables.size(); ++k) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t before = tables[k - 1][byte];
      tables[k][byte] = before >> 8 ^ tables[0][before & 255];
    }
  }
  return tables;
}

constexpr Tables kTables = make_tables();

uint8_t at(std::string_view bytes, size_t i) { return static_cast<uint8_t>(bytes[i]); }

}  // namespace

uint32_t crc32c(std::string_view bytes) {
  uint32_t sum = ~0u;
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    uint32_t next = 0;
    for (size_t i = 0; i < 4; ++i) next ^= kTables[7 - i][(sum >> 8 * i & 255) ^ at(bytes, i)];
    for (size_t i = 4; i < 8; ++i) next ^= kTables[7 - i][at(bytes, i)];
    sum = next;
  }
  for (size_t i = 0; i < bytes.size(); ++i) sum = sum >> 8 ^ kTables[0][(sum ^ at(bytes, i)) & 255];
  return ~sum;
}

}  // namespace verbund
