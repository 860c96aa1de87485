// SPDX-License-Identifier: Apache-2.0
#include "emulated/kernel.h"

#include <map>

namespace emulated {
namespace {

auto& kernels() {
  static auto* result = new std::map<std::pair<std::string, int>, std::unique_ptr<Kernel>>;
  return *result;
}

[[maybe_unused]] const bool all_added = [] {
  add_kernels_0();
  add_kernels_1();
  add_kernels_2();
  return true;
}();

}  // namespace

Kernel* find_kernel(const std::string& name, int dtype) {
  const auto found = kernels().find({name, dtype});
  return found == kernels().end() ? nullptr : found->second.get();
}

void add_kernel(std::unique_ptr<Kernel> kernel) {
  kernel->number = static_cast<unsigned>(kernels().size()) + 1;
  const std::pair key{kernel->name, kernel->dtype};
  kernels()[key] = std::move(kernel);
}

}  // namespace emulated
