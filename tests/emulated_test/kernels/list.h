// SPDX-License-Identifier: Apache-2.0
// The kernels of the emulated GPU's own tests.
#pragma once

#define VERBUND_CUDA_KERNELS(X) \
  X(tell_who)                   \
  X(tell_factor)                \
  X(copy)                       \
  X(scale_by)                   \
  X(reverse_block)              \
  X(reverse_block_unguarded)    \
  X(reverse_warp)               \
  X(reverse_warp_unguarded)     \
  X(sum_warps)                  \
  X(sum_halves)                 \
  X(write_from_all_blocks)      \
  X(read_then_write_first)      \
  X(count_up)                   \
  X(count_up_in_small_blocks)   \
  X(load_vectors)               \
  X(write_at)                   \
  X(read_at)                    \
  X(show_fresh_shared)          \
  X(take_much_shared)           \
  X(shuffle_without_lanes)      \
  X(shuffle_after_some_ended)   \
  X(shuffle_outside_mask)       \
  X(barrier_of_some)            \
  X(barriers_of_two_kinds)      \
  X(halves_of_numbers)          \
  X(recurse)
