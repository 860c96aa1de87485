#include "import/file_head.h"

#include "text/line_reader.h"

namespace verbund {

std::string head_of_file(const std::filesystem::path& path) {
  constexpr size_t kHead = 1024;
  const auto source = open_bytes(path);
  std::string head(kHead, '\0');
  size_t size = 0;
  while (size < kHead) {
    const size_t more = source->read(head.data() + size, kHead - size);
    if (more == 0) break;
    size += more;
  }
  head.resize(size);
  return head;
}

bool is_archive(std::string_view head) {
  constexpr size_t kTarMark = 257;  // where a tar has "ustar"
  return head.starts_with("PK\3\4") || (head.size() > kTarMark && head.substr(kTarMark).starts_with("ustar"));
}

}  // namespace verbund
