// SPDX-License-Identifier: Apache-2.0
// flip_bit damages a file in place, as a disk does; the same call again repairs it.
#pragma once

#include <filesystem>
#include <fstream>

namespace verbund {

inline void flip_bit(const std::filesystem::path& path, size_t bit) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  const auto position = static_cast<std::streamoff>(bit / 8);
  file.seekg(position);
  const int byte = file.get();
  file.seekp(position);
  file.put(static_cast<char>(byte ^ (1 << (bit % 8))));
}

}  // namespace verbund
