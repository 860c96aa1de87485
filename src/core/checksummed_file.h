// SPDX-License-Identifier: Apache-2.0
// ChecksummedFile is complete or absent, as AtomicFile, and knows its size and checksum when it is written.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/file.h"
#include "core/hash.h"

namespace verbund {

struct FileSummary {
  uint64_t size = 0;
  std::string checksum;
};

class ChecksummedFile {
 public:
  explicit ChecksummedFile(const fs::path& path) : file_(path) {}

  void write(std::string_view bytes) {
    // Blocks that are still in the cache when the system copies them, and large enough to be written without another
    // copy.
    constexpr size_t kPart = 2 << 20;
    for (; !bytes.empty(); bytes.remove_prefix(std::min(kPart, bytes.size()))) {
      const std::string_view part = bytes.substr(0, kPart);
      checksum_.add(part);
      file_.write(part);
    }
  }

  template <typename T>
  void write_values(std::span<const T> values) {
    write({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  }

  const fs::path& path() const { return file_.path(); }

  FileSummary commit() {
    file_.commit();
    return {file_.size(), checksum_.digest()};
  }

 private:
  AtomicFile file_;
  Checksum checksum_;
};

}  // namespace verbund
