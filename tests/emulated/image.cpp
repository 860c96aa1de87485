// SPDX-License-Identifier: Apache-2.0
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
  std::string bytes = fmt::format("{} sm_{} dtype {}", kMagic, image.architecture, image.dtype);
  bytes.push_back(0);
  return bytes;
}

std::optional<Image> parse_image(const char* bytes) {
  Image image{};
  if (std::strncmp(bytes, kMagic, sizeof kMagic - 1) != 0) return {};
  if (std::sscanf(bytes + sizeof kMagic - 1, " sm_%d dtype %d", &image.architecture, &image.dtype) != 2) return {};
  return image;
}

}  // namespace emulated
