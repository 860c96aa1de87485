// What to tell a user whose machine cannot train on a GPU as it is: which library is missing or does not fit, and what
// to install.
#pragma once

#include <string>

#include "cuda/libraries.h"

namespace verbund::cuda {

// "" if training on one GPU can begin. `device` is the user's word for it: "cuda" or "emulated".
std::string missing_message(const CudaLibraries& libraries, const std::string& device = "cuda");

// "" if there is NCCL, which several GPUs need.
std::string missing_nccl_message(const CudaLibraries& libraries, const std::string& device = "cuda");

}  // namespace verbund::cuda
