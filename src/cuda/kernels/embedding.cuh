// Embeddings with positions and dropout, and the sums of their gradients.
#pragma once

#include "strips.cuh"

template <bool kVector>
__device__ __forceinline__ void embed_forward_strip(const EmbedForwardArguments& a) {
  const StripOf my(a.d);
  if (my.row >= a.n) return;
  const float* entry = a.table + static_cast<int64_t>(a.ids[my.row]) * a.d;
  const float* code = a.position_codes + static_cast<int64_t>(a.token_positions[my.row].position) * a.d;
  const uint32_t kept = kept_in_strip(a.key, a.token_positions, my.row, my.strip);
  Strip x, position;
  load_strip<kVector>(entry, my.strip, a.d, x);
  load_strip<kVector>(code, my.strip, a.d, position);
  change_strip(x, [&](float v, int k, int c) { return (v * a.factor + position[k][c]) * mask_of(a.key, kept, k, c); });
  store_strip<kVector>(a.out + my.row * a.d, my.strip, a.d, x);
}

KERNEL(embed_forward)(EmbedForwardArguments a) {
  a.vectors ? embed_forward_strip<true>(a) : embed_forward_strip<false>(a);
}

// One thread per strip of each distinct token, which adds up the token's rows in their order.
template <bool kVector>
__device__ __forceinline__ void embed_backward_strip(const EmbedBackwardArguments& a) {
  const StripOf my(a.d);
  if (my.row >= a.distinct) return;
  float* entry = a.table_gradient + static_cast<int64_t>(a.tokens[my.row]) * a.d;
  Strip total, g;
  load_strip<kVector>(entry, my.strip, a.d, total);
  for (int32_t j = a.first[my.row]; j < a.first[my.row + 1]; ++j) {
    const int64_t row = a.token_rows[j];
    load_strip<kVector>(a.gradient + row * a.d, my.strip, a.d, g);
    const uint32_t kept = kept_in_strip(a.key, a.token_positions, row, my.strip);
    change_strip(total, [&](float v, int k, int c) { return v + g[k][c] * mask_of(a.key, kept, k, c) * a.factor; });
  }
  store_strip<kVector>(entry, my.strip, a.d, total);
}

KERNEL_OF(256, 2, embed_backward)(EmbedBackwardArguments a) {
  a.vectors ? embed_backward_strip<true>(a) : embed_backward_strip<false>(a);
}
