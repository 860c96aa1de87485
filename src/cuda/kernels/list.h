// SPDX-License-Identifier: Apache-2.0
// VERBUND_CUDA_KERNELS lists the names of all kernels: those that are looked up in a compiled module, and that the
// emulated GPU of the tests offers.
#pragma once

#define VERBUND_CUDA_KERNELS(X) \
  X(norm_forward)               \
  X(norm_forward_of_floats)     \
  X(norm_backward)              \
  X(norm_sums)                  \
  X(column_sums)                \
  X(add_partials)               \
  X(relu_forward)               \
  X(relu_backward)              \
  X(smooth_forward)             \
  X(smooth_backward)            \
  X(add_bias)                   \
  X(embed_forward)              \
  X(embed_backward)             \
  X(attention_forward_64)       \
  X(attention_forward_128)      \
  X(attention_backward_64)      \
  X(attention_backward_128)     \
  X(loss)                       \
  X(loss_of_floats)             \
  X(sum_losses)                 \
  X(step_attention)             \
  X(step_alignment)             \
  X(best_tokens)                \
  X(add_probabilities)          \
  X(take_logarithm)             \
  X(round_operands)             \
  X(adam)                       \
  X(sgd)                        \
  X(ema)                        \
  X(swap_buffers)               \
  X(measure_parts)              \
  X(add_measured)
