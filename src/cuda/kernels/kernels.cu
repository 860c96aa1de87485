// SPDX-License-Identifier: Apache-2.0
// All kernels, as NVRTC and the emulated GPU compile them: once per compute dtype (see
// numbers.cuh).
// clang-format off: the order matters
#include "language.cuh"
#include "arguments.h"

using namespace verbund::cuda;

#include "norm.cuh"
#include "column_sums.cuh"
#include "activation.cuh"
#include "elementwise.cuh"
#include "attention_forward.cuh"
#include "attention_backward.cuh"
#include "loss.cuh"
#include "decoding.cuh"
#include "updates.cuh"
