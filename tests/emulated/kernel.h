// SPDX-License-Identifier: Apache-2.0
// The kernels compiled into the library: by name and by compute dtype (VERBUND_COMPUTE_DTYPE), with what is
// needed to copy the arguments of a launch and to call one thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace emulated {

constexpr unsigned kSharedLimit = 48 << 10;  // of static shared memory in a block, on every GPU

// Whether the kernels were compiled with calls into race_checker.h; defined beside them.
extern const bool kChecked;

struct Kernel {
  std::string name;
  int dtype;
  unsigned number;       // from 1
  unsigned max_threads;  // of a block, as it was declared
  size_t parameters;
  size_t storage;  // bytes of a copy of the arguments
  void (*copy)(void** parameters, std::byte* storage);
  void (*call)(const std::byte* storage);
  std::atomic<unsigned> shared_bytes = 0;  // as far as its arrays have been met
};

// nullptr if there is none.
Kernel* find_kernel(const std::string& name, int dtype);
void add_kernel(std::unique_ptr<Kernel> kernel);

// Is called when the library is loaded; one per value of VERBUND_COMPUTE_DTYPE.
void add_kernels_0();
void add_kernels_1();
void add_kernels_2();

template <typename... Parameters>
void add_kernel(const char* name, int dtype, unsigned max_threads, void (*)(Parameters...),
                void (*call)(const std::byte*)) {
  static_assert((std::is_trivially_copyable_v<Parameters> && ...), "arguments of kernels are copied as bytes");
  using Storage = std::tuple<Parameters...>;
  auto kernel = std::make_unique<Kernel>();
  kernel->name = name;
  kernel->dtype = dtype;
  kernel->max_threads = max_threads;
  kernel->parameters = sizeof...(Parameters);
  kernel->storage = sizeof(Storage);
  kernel->copy = [](void** parameters, std::byte* storage) {
    [&]<size_t... I>(std::index_sequence<I...>) {
      new (storage) Storage(*static_cast<const std::remove_cv_t<Parameters>*>(parameters[I])...);
    }
    (std::index_sequence_for<Parameters...>{});
  };
  kernel->call = call;
  add_kernel(std::move(kernel));
}

template <typename... Parameters>
constexpr std::tuple<Parameters...> storage_of(void (*)(Parameters...));

template <auto kKernel>
void call_kernel(const std::byte* storage) {
  using Storage = decltype(storage_of(kKernel));
  std::apply(kKernel, *reinterpret_cast<const Storage*>(storage));
}

}  // namespace emulated
