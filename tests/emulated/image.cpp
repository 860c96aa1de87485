#include "emulated/image.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstring>

namespace emulated {
namespace {

constexpr char kMagic[] =
    "\x7f"
    "emulated GPU image";

}  // namespace

std::string write_image(const Image& image) {
  std::string bytes = fmt::format("{} sm_{} factor {}", kMagic, image.architecture, image.factor);
  bytes.push_back(0);
  return bytes;
}

std::optional<Image> parse_image(const char* bytes) {
  Image image{};
  if (std::strncmp(bytes, kMagic, sizeof kMagic - 1) != 0) return {};
  if (std::sscanf(bytes + sizeof kMagic - 1, " sm_%d factor %d", &image.architecture, &image.factor) != 2) return {};
  return image;
}

}  // namespace emulated
