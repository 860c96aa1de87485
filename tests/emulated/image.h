// SPDX-License-Identifier: Apache-2.0
// Image takes the place of a cubin between the emulated NVRTC and driver: which kernels, for which GPU.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace emulated {

struct Image {
  int architecture;
  int dtype;  // VERBUND_COMPUTE_DTYPE
};

std::string write_image(const Image& image);
// Nothing if the bytes are something else.
std::optional<Image> parse_image(const char* bytes);

// The text of the kernels that were compiled into the library, file by file; written by kernel_sources.cmake.
struct KernelSource {
  std::string_view name, text;
};

std::span<const KernelSource> kernel_sources();

}  // namespace emulated
