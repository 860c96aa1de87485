// What the doubles of NVRTC and the driver hand each other in the place of a cubin: which kernels, for which GPU.
#pragma once

#include <optional>
#include <string>

namespace emulated {

struct Image {
  int architecture;
  int dtype;  // VERBUND_COMPUTE_DTYPE
};

std::string write_image(const Image& image);
// Nothing if the bytes are something else.
std::optional<Image> parse_image(const char* bytes);

}  // namespace emulated
