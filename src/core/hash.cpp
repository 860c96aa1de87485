// SPDX-License-Identifier: Apache-2.0
#include "core/hash.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <xxhash.h>

#include <cerrno>
#include <vector>

#include "core/error.h"
#include "core/file_system.h"
#include "core/interrupt.h"
#include "core/progress.h"

namespace verbund {

uint64_t hash64(std::string_view bytes, uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

struct Checksum::State {
  XXH3_state_t* xxh = XXH3_createState();
  State() { XXH3_128bits_reset(xxh); }
  ~State() { XXH3_freeState(xxh); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

Checksum::Checksum() : state_(std::make_unique<State>()) {}
Checksum::~Checksum() = default;
Checksum::Checksum(Checksum&&) noexcept = default;
Checksum& Checksum::operator=(Checksum&&) noexcept = default;

void Checksum::add(std::string_view bytes) { XXH3_128bits_update(state_->xxh, bytes.data(), bytes.size()); }

std::string Checksum::digest() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_->xxh);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::string checksum_of(std::string_view bytes) {
  Checksum checksum;
  checksum.add(bytes);
  return checksum.digest();
}

std::string file_checksum(const std::filesystem::path& path, Progress* progress) {
  const OpenFile file(path, O_RDONLY);
  if (!file) fail_errno("cannot read {}", path.string());
  Checksum checksum;
  std::vector<char> buffer(1 << 20);
  while (true) {
    check_interrupt();
    const ssize_t count = file_system().read(file.descriptor(), buffer.data(), buffer.size());
    if (count == 0) return checksum.digest();
    if (count < 0 && errno != EINTR) fail_errno("cannot read {}", path.string());
    if (count <= 0) continue;
    checksum.add({buffer.data(), static_cast<size_t>(count)});
    if (progress != nullptr) progress->add(static_cast<uint64_t>(count));
  }
}

}  // namespace verbund
