// SPDX-License-Identifier: Apache-2.0
#include "text/head_of_file.h"

#include "text/line_reader.h"

namespace verbund {

std::string head_of_file(const std::filesystem::path& path) {
  const auto source = open_bytes(path);
  std::string head(kHeadOfFile, '\0');
  size_t size = 0;
  while (size < kHeadOfFile) {
    const size_t more = source->read(head.data() + size, kHeadOfFile - size);
    if (more == 0) break;
    size += more;
  }
  head.resize(size);
  return head;
}

}  // namespace verbund
