// SPDX-License-Identifier: Apache-2.0
// Checksum detects damage and change of content (XXH3). It is not for security.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace verbund {

class Progress;

uint64_t hash64(std::string_view bytes, uint64_t seed = 0);

// Hash of std::unordered_map<std::string, ...> that looks up a string_view without making a string.
struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return hash64(text); }
};

// A checksum of data that comes in parts, written as 32 hexadecimal digits (XXH3, 128 bits).
class Checksum {
 public:
  Checksum();
  ~Checksum();
  Checksum(Checksum&&) noexcept;
  Checksum& operator=(Checksum&&) noexcept;

  void add(std::string_view bytes);
  std::string digest() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string checksum_of(std::string_view bytes);
// Adds the bytes of the file to `progress`.
std::string file_checksum(const std::filesystem::path& path, Progress* progress = nullptr);

}  // namespace verbund
