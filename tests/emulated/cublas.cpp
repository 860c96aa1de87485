// SPDX-License-Identifier: Apache-2.0
// The emulated cuBLAS: handles and their settings. (The GEMM is in cublas_gemm.cpp.)
#include <mutex>
#include <set>

#include "emulated/cublas_handle.h"

namespace emulated {
namespace {

using namespace verbund::cuda;

std::mutex mutex;
std::set<cublasHandle_t> handles;

bool is_handle(cublasHandle_t handle) {
  const std::lock_guard lock(mutex);
  return handles.contains(handle);
}

}  // namespace

cublasStatus_t check_handle(cublasHandle_t handle, const char* function) {
  if (!is_handle(handle)) return refuse(CUBLAS_STATUS_NOT_INITIALIZED, "{}: this is not a handle", function);
  if (current_context() != handle->context) {
    return refuse(CUBLAS_STATUS_INVALID_VALUE, "{}: the handle is of device {}, but this thread's context is {}",
                  function, device_of(handle->context),
                  current_context() == nullptr ? "none" : fmt::format("of device {}", device_of(current_context())));
  }
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace emulated

namespace verbund::cuda {

using namespace emulated;

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  if (handle == nullptr) return refuse(CUBLAS_STATUS_INVALID_VALUE, "cublasCreate: there is no place for the handle");
  if (current_context() == nullptr) {
    return refuse(CUBLAS_STATUS_NOT_INITIALIZED, "cublasCreate: this thread has no context (cuCtxSetCurrent)");
  }
  *handle = new cublasContext{current_context()};
  const std::lock_guard lock(mutex);
  handles.insert(*handle);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  const std::lock_guard lock(mutex);
  if (handles.erase(handle) == 0) return refuse(CUBLAS_STATUS_NOT_INITIALIZED, "cublasDestroy: this is not a handle");
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetVersion_v2(cublasHandle_t, int* version) {
  if (version == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *version = 120800;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetProperty(libraryPropertyType property, int* value) {
  if (value == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *value = property == MAJOR_VERSION ? 12 : property == MINOR_VERSION ? 8 : 0;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, CUstream stream) {
  if (!is_handle(handle)) return refuse(CUBLAS_STATUS_NOT_INITIALIZED, "cublasSetStream: this is not a handle");
  if (stream != nullptr && context_of(stream) != handle->context) {
    return refuse(CUBLAS_STATUS_INVALID_VALUE, "cublasSetStream: the stream is not of the handle's device {}",
                  device_of(handle->context));
  }
  handle->stream = stream;
  // As cuBLAS does: the workspace goes back to its own with every call of this.
  handle->workspace = nullptr;
  handle->workspace_bytes = 0;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* workspace, size_t bytes) {
  if (const auto status = check_handle(handle, "cublasSetWorkspace"); status != CUBLAS_STATUS_SUCCESS) return status;
  if (reinterpret_cast<uintptr_t>(workspace) % 256 != 0) {
    return refuse(CUBLAS_STATUS_INVALID_VALUE, "cublasSetWorkspace: {} is not aligned to 256 bytes", workspace);
  }
  if (bytes > 0 && !in_device_memory(handle->context, workspace, bytes)) {
    return refuse(CUBLAS_STATUS_INVALID_VALUE, "cublasSetWorkspace: {} bytes from {} are not in memory of device {}",
                  bytes, workspace, device_of(handle->context));
  }
  handle->workspace = workspace;
  handle->workspace_bytes = bytes;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  if (!is_handle(handle)) return refuse(CUBLAS_STATUS_NOT_INITIALIZED, "cublasSetMathMode: this is not a handle");
  const int known = mode & ~CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION;
  if (known != CUBLAS_DEFAULT_MATH && known != CUBLAS_PEDANTIC_MATH && known != CUBLAS_TF32_TENSOR_OP_MATH) {
    return refuse(CUBLAS_STATUS_INVALID_VALUE, "cublasSetMathMode: there is no mode {}", static_cast<int>(mode));
  }
  handle->math = mode;
  return CUBLAS_STATUS_SUCCESS;
}

const char* cublasGetStatusString(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return "success";
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return "the library was not initialized";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "an unsupported value or parameter was passed to the function";
    case CUBLAS_STATUS_EXECUTION_FAILED:
      return "the function failed to launch on the GPU";
    case CUBLAS_STATUS_NOT_SUPPORTED:
      return "the requested functionality is not supported";
    default:
      return "the library has failed";
  }
}

}  // namespace verbund::cuda
