// Content checksums (XXH3). For noticing damage and change, not for security.
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

// A checksum taken piece by piece, written as 32 hexadecimal digits (XXH3, 128 bits).
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
// With `progress`, which counts bytes, the file's are added to it.
std::string file_checksum(const std::filesystem::path& path, Progress* progress = nullptr);

}  // namespace verbund
