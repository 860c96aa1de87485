// SPDX-License-Identifier: Apache-2.0
// stored_zip makes a zip archive whose members are not compressed, as torch.save and Marian write them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace verbund {

inline uint32_t zip_checksum(std::string_view bytes) {
  uint32_t crc = 0xFFFFFFFF;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (0xEDB88320 & (0 - (crc & 1)));
  }
  return ~crc;
}

inline std::string stored_zip(const std::vector<std::pair<std::string, std::string>>& members) {
  std::string file, directory;
  const auto number = [](uint64_t value, int size) {
    std::string bytes;
    for (int i = 0; i < size; ++i) bytes.push_back(static_cast<char>(value >> (8 * i)));
    return bytes;
  };
  for (const auto& [name, bytes] : members) {
    const std::string common = number(0, 2) + number(0, 2) + number(0, 4) + number(zip_checksum(bytes), 4) +
                               number(bytes.size(), 4) + number(bytes.size(), 4) + number(name.size(), 2) +
                               number(0, 2);
    directory += "PK\1\2" + number(20, 2) + number(20, 2) + common + number(0, 2) + number(0, 2) + number(0, 2) +
                 number(0, 4) + number(file.size(), 4) + name;
    file += "PK\3\4" + number(20, 2) + common + name + bytes;
  }
  return file + directory + "PK\5\6" + number(0, 4) + number(members.size(), 2) + number(members.size(), 2) +
         number(directory.size(), 4) + number(file.size(), 4) + number(0, 2);
}

}  // namespace verbund
