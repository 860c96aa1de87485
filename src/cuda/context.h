// SPDX-License-Identifier: Apache-2.0
// Context is the driver's context of a GPU, and the check of its results.
#pragma once

#include <atomic>
#include <string>

#include "cuda/libraries.h"

namespace verbund::cuda {

class Context {
 public:
  // Number `number` of the driver's GPUs.
  Context(const CudaLibraries& libraries, int number);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const Driver& driver() const { return driver_; }
  int number() const { return number_; }
  const std::string& name() const { return name_; }  // "Tesla V100-SXM2-16GB"
  std::string uuid() const;                          // as nvidia-smi -L shows it; a MIG part has its own
  int attribute(CUdevice_attribute attribute) const;
  size_t total_memory() const;

  // The driver's calls use the context of the calling thread: to be called before each call that a new thread may make.
  void make_current() const;
  void try_make_current() const noexcept { driver_.cuCtxSetCurrent(context_); }  // for destructors

  // Throws Error for all but success, with the call, the driver's error and the kernel that was launched
  // last: errors of kernels are reported by later calls.
  void check(CUresult result, const char* call) const {
    if (result != CUDA_SUCCESS) fail(result, call);
  }
  void launched(const char* kernel) { last_kernel_ = kernel; }
  std::string last_kernel() const;  // " (the kernel launched last is adam)" or ""

 private:
  [[noreturn]] void fail(CUresult result, const char* call) const;

  // A copy: the last user, on any thread, may outlive the CudaLibraries.
  const Driver driver_;
  int number_;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  std::string name_;
  std::atomic<const char*> last_kernel_ = nullptr;
};

}  // namespace verbund::cuda
