// The text of the kernels that were compiled into the library, file by file; written by kernel_sources.cmake.
#pragma once

#include <span>
#include <string_view>

namespace emulated {

struct KernelSource {
  std::string_view name, text;
};

std::span<const KernelSource> kernel_sources();

}  // namespace emulated
